import { IDENTITY_HEADER } from '@waymark/proto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { Identity } from './identity.ts';
import type { Verifier } from './token.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** On whose behalf the request runs. Reading it on a route that is public is an error of the program. */
    readonly identity: Identity;
    /** The signed form of `identity`, to pass on to a sister. */
    readonly identityToken: string;
  }
  interface FastifyContextConfig {
    /** True for a route that anyone may call. */
    public?: boolean;
  }
}

interface Verified {
  identity: Identity;
  token: string;
}

/**
 * Requires a valid signed identity on every route of the instance but those with `config: { public: true }`: without
 * one the answer is 401. An unknown path stays 404. Gives `request.identity` and `request.identityToken`.
 */
export const identityPlugin = fastifyPlugin(
  async (app: FastifyInstance, { verifier }: { verifier: Verifier }) => {
    const verified = new WeakMap<FastifyRequest, Verified>();
    const get = (request: FastifyRequest): Verified => {
      const found = verified.get(request);
      if (found === undefined) throw new Error(`${request.routeOptions.url} is public: it has no identity`);
      return found;
    };
    app.decorateRequest('identity', {
      getter(this: FastifyRequest) {
        return get(this).identity;
      },
    });
    app.decorateRequest('identityToken', {
      getter(this: FastifyRequest) {
        return get(this).token;
      },
    });
    app.addHook('onRequest', async (request) => {
      if (request.routeOptions.config.public === true || request.is404) return;
      const header = request.headers[IDENTITY_HEADER];
      const token = typeof header === 'string' ? header : undefined;
      verified.set(request, { identity: await verifier.verify(token), token: token! });
    });
  },
  { name: '@waymark/identity', fastify: '5.x' },
);
