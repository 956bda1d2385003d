import { AppError, type Need, needOf } from '@waymark/contract';
import { IDENTITY_HEADER } from '@waymark/proto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { type Identity, requireNeed } from './identity.ts';
import { PathMethods } from './path-methods.ts';
import type { Verifier } from './token.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The identity on whose behalf the request runs. Reading it on a public route throws: that is a bug. */
    readonly identity: Identity;
    /** The signed form of `identity`, to forward to other services. */
    readonly identityToken: string;
  }
  interface FastifyContextConfig {
    /** True for a route that anyone may call. */
    public?: boolean;
    /** What the route needs. Default: what the table of operations says. */
    needs?: Need;
  }
}

interface Verified {
  identity: Identity;
  token: string;
}

/** Returns the error message that lists the path's methods, such as `GET, HEAD and POST`. */
function noMethodMessage(method: string, known: string[]): string {
  const last = known.at(-1)!;
  const names = known.length === 1 ? last : `${known.slice(0, -1).join(', ')} and ${last}`;
  return `Not found: this path does not support ${method}, only ${names}.`;
}

/**
 * Requires a valid signed identity on every route of the instance except those with `config: { public: true }`.
 * Requests without one get 401. Sets `request.identity` and `request.identityToken`. An unknown path stays 404. An
 * unknown method of a known path is also 404. Its message lists the path's methods, so it needs an identity too. What
 * the identity may not do is 403 (`OPERATIONS` in the contract).
 * Register the plugin on the root instance, before the routes.
 */
export const identityPlugin = fastifyPlugin(
  async (app: FastifyInstance, { verifier }: { verifier: Verifier }) => {
    const verified = new WeakMap<FastifyRequest, Verified>();
    const get = (request: FastifyRequest): Verified => {
      const found = verified.get(request);
      if (found === undefined) throw new Error(`${request.routeOptions.url} is public and has no identity`);
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
    const paths = new PathMethods();
    app.addHook('onRoute', (route) => {
      const { url, config = {} } = route;
      const methods = [route.method].flat();
      if (config.public === true) return;
      if (!url.includes('*')) paths.add(url, methods);
      route.config = { ...config, needs: config.needs ?? needOf(`${methods[0]} ${url}`) };
    });
    app.addHook('onRequest', async (request) => {
      const known = request.is404 ? paths.of(request.url) : null;
      if (request.routeOptions.config.public === true || known?.length === 0) return;
      const header = request.headers[IDENTITY_HEADER];
      const token = typeof header === 'string' ? header : undefined;
      const identity = await verifier.verify(token);
      verified.set(request, { identity, token: token! });
      if (known !== null) throw new AppError('not_found', noMethodMessage(request.method, known));
      requireNeed(identity, request.routeOptions.config.needs!);
    });
  },
  { name: '@waymark/identity', fastify: '5.x' },
);
