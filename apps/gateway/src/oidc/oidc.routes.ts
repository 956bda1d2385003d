import { AppError } from '@waymark/contract';
import { checkQueryParameters, type PageTemplate, queryOf } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import * as openid from 'openid-client';
import Type, { type Static } from 'typebox';
import type { AccountsClient } from '../keys/accounts-client.ts';
import type { SignInAttempt } from '../keys/sign-in-attempt.ts';
import { type AccessRule, grantsOf } from './access.ts';
import type { BegunSignIns } from './begun-sign-ins.ts';
import { sendOidcFailure } from './failure-page.ts';
import { CALLBACK_PATH, type OidcProvider } from './provider.ts';

export interface OidcRoutesDeps {
  provider: OidcProvider;
  begunSignIns: BegunSignIns;
  access: readonly AccessRule[];
  /** The plan of accounts that a sign-in creates. */
  plan: string;
  accounts: Pick<AccountsClient, 'createPersonSignIn'>;
  attempt: SignInAttempt;
  /** Where the dashboard is. */
  apiUrl: string;
  /** The pages of failures. */
  pages: PageTemplate;
}

const StartQuery = Type.Object(
  { challenge: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }) },
  { additionalProperties: false },
);

const REFUSED_MESSAGE =
  'This sign-in was not begun here, took longer than 10 minutes, was used already or was refused by the OpenID provider; begin again.';
const NO_GROUP_MESSAGE =
  'You are known to the OpenID provider, but none of your groups has access here; ask the operator of this server for it, and sign in again.';

/** Adds the two paths of a sign-in at an OpenID provider (docs/sign-in.md). Browsers navigate to them. */
export function oidcRoutes(app: FastifyInstance, deps: OidcRoutesDeps): void {
  const { provider, begunSignIns, access, plan, accounts, attempt, apiUrl, pages } = deps;
  app.setErrorHandler((error, request, reply) => sendOidcFailure(error, request, reply, pages));

  app.register(async (start) => {
    checkQueryParameters(start);
    start.get<{ Querystring: Static<typeof StartQuery> }>(
      '/auth/oidc/start',
      { schema: { querystring: StartQuery } },
      async (request, reply) => {
        // This cannot fail, but an address that has no failures left cannot begin.
        await attempt(request, reply, REFUSED_MESSAGE, async () => true);
        const begun = {
          nonce: openid.randomNonce(),
          codeVerifier: openid.randomPKCECodeVerifier(),
          challenge: request.query.challenge,
        };
        const url = await provider.authorizationUrl(await begunSignIns.seal(begun), begun);
        return reply.header('cache-control', 'no-store').redirect(url);
      },
    );
  });

  app.get(CALLBACK_PATH, async (request, reply) => {
    const query = queryOf(request.raw.url!);
    const token = await attempt(request, reply, REFUSED_MESSAGE, async () => {
      const begun = await begunSignIns.open(new URLSearchParams(query).get('state') ?? '');
      const person = begun && (await provider.identify(query, begun, request.log));
      if (person === null) return null;
      const grants = grantsOf(access, person.groups);
      if (grants.length === 0) throw new AppError('forbidden', NO_GROUP_MESSAGE);
      const { groups: _, ...known } = person;
      return accounts.createPersonSignIn({ ...known, grants, plan, challenge: begun!.challenge }, request.id);
    });
    const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
    return reply.headers(headers).redirect(`${apiUrl}/app/#token=${token}`);
  });
}
