import { listLinksRequest, updateLinkRequest } from '@waymark/proto';
import type { ServiceClients } from '../../src/service-clients.ts';
import { LINK } from '../fake-services.ts';

type CallOptions = Parameters<ServiceClients['links']['listLinks']>[1];

/** The measured tools: the arguments of each, and its gRPC call. */
export const TOOL_CALLS: Record<
  string,
  { arguments: object; viaGrpc: (services: ServiceClients, options: CallOptions) => Promise<unknown> }
> = {
  update_link: {
    arguments: { id: LINK.id, title: 'x' },
    viaGrpc: ({ links }, options) => links.updateLink(updateLinkRequest(LINK.id, { title: 'x' }), options),
  },
  list_links: {
    arguments: {},
    viaGrpc: ({ links }, options) =>
      links.listLinks(
        listLinksRequest({ archived: 'false', page: 1, per: 25, sort: 'created_at', dir: 'desc' }),
        options,
      ),
  },
};
