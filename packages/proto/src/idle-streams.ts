import { constants, type Http2Server, type ServerHttp2Stream } from 'node:http2';

/**
 * Ends each call of a server on which nothing was sent or received for `maxIdleMs`, if its connection takes no new calls
 * any more. A call that makes progress may last as long as its deadline allows, however old its connection is.
 */
export function endIdleStreams(server: Http2Server, maxIdleMs: number): void {
  server.on('stream', (stream: ServerHttp2Stream) => {
    const watch = () => stream.setTimeout(maxIdleMs);
    stream.on('timeout', () => {
      if (stream.session?.closed === false) watch();
      else stream.close(constants.NGHTTP2_CANCEL);
    });
    watch();
  });
}
