import { AppError } from '@waymark/contract';
import { NOT_FOUND_MESSAGE } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { hostOf } from './host-name.ts';
import type { VerifiedHosts } from './verified-hosts.ts';

const TlsAllowedQuery = Type.Object({ domain: Type.String() }, { additionalProperties: false });

export interface TlsAllowedDeps {
  hosts: Pick<VerifiedHosts, 'find'>;
  /** The hosts of the service itself. */
  ownHosts: readonly string[];
}

/**
 * Adds `GET /internal/tls-allowed`, which a proxy asks before it gets a certificate (docs/hosts.md). The gateway does not
 * forward it. The instance checks query parameters (`checkQueryParameters`).
 *
 * It is there in no other spelling, such as `/%69nternal/`: a proxy may compare paths as they are sent to keep visitors out.
 */
export function tlsAllowedRoute(app: FastifyInstance, { hosts, ownHosts }: TlsAllowedDeps): void {
  app.get<{ Querystring: Static<typeof TlsAllowedQuery> }>(
    '/internal/tls-allowed',
    {
      schema: { querystring: TlsAllowedQuery },
      config: { public: true },
      onRequest: async ({ raw }) => {
        if (!raw.url!.startsWith('/internal/')) throw new AppError('not_found', NOT_FOUND_MESSAGE);
      },
    },
    async ({ query }, reply) => {
      const name = hostOf(query.domain);
      const isAllowed = name !== null && (ownHosts.includes(name) || hosts.find(name) !== undefined);
      return reply
        .code(isAllowed ? 200 : 404)
        .send(isAllowed ? {} : { error: 'No host of this service has this name.' });
    },
  );
}
