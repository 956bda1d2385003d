import { constants, type Http2Server, type ServerHttp2Stream } from 'node:http2';

/**
 * Ends each call of a server on which nothing was sent or received for `maxIdleMs`, if its connection takes no new calls
 * any more, and did not so for as long. A call that makes progress may last until its deadline, however old its
 * connection is.
 */
export function endIdleStreams(server: Http2Server, maxIdleMs: number): void {
  server.on('stream', (stream: ServerHttp2Stream) => {
    const watch = () => stream.setTimeout(maxIdleMs);
    let isClosing = false;
    stream.on('timeout', () => {
      if (isClosing) return stream.close(constants.NGHTTP2_CANCEL);
      isClosing = stream.session?.closed !== false;
      watch();
    });
    watch();
  });
}
