import {
  type CallContext,
  createGrpcServer,
  type GrpcServerOptions,
  type Implementation,
  linksV1,
} from '../src/index.ts';
import type { ServiceOptions } from '../src/server.ts';

export type LinksImplementation = Implementation<typeof linksV1.LinksService, string>;
export type LinksContext = CallContext<string>;

/** Returns a links service. All methods fail, except those in `given`. */
export function linksImplementation(given: Partial<LinksImplementation>): LinksImplementation {
  const unexpected = (): never => {
    throw new Error('the test did not expect this call');
  };
  const missing = async () => unexpected();
  return {
    createLink: missing,
    getLink: missing,
    listLinks: missing,
    getQrCode: missing,
    updateLink: missing,
    deleteLink: missing,
    bulkEditLinks: missing,
    listHashtags: missing,
    exportLinks: unexpected,
    getHiddenLinks: unexpected,
    findLinkIds: unexpected,
    findLinkHashtags: unexpected,
    batchGetLinks: missing,
    ...given,
  };
}

/** Starts a server of a links service on a loopback port (0: any free port). */
export async function startLinksServer(
  given: Partial<LinksImplementation>,
  options: Partial<ServiceOptions<string>> & { port?: number; server?: GrpcServerOptions } = {},
) {
  const server = createGrpcServer(options.server);
  server.addService(
    linksV1.LinksService,
    {
      authenticate: options.authenticate ?? (() => 'anyone'),
      ...(options.onError && { onError: options.onError }),
      ...(options.onCall && { onCall: options.onCall }),
    },
    linksImplementation(given),
  );
  const port = await server.listen('127.0.0.1', options.port ?? 0);
  return { port, address: `127.0.0.1:${port}`, close: (deadlineMs = 1_000) => server.close(deadlineMs) };
}
