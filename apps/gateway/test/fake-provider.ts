import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { startFakeService } from './fake-service.ts';

export const CLIENT = {
  OIDC_CLIENT_ID: 'waymark',
  OIDC_CLIENT_SECRET: 'a secret of the client: at least 32 bytes',
};

export type Claims = Record<string, unknown>;
type Endpoint = 'discovery' | 'token' | 'keys' | 'userinfo';

/** An OpenID provider that signs what a test asks for. `e2e/dashboard/oidc.test.ts` signs in at a real one. */
export interface FakeProvider {
  issuer: string;
  /** The claims of the following ID tokens, beside `iss`, `sub`, `aud`, `nonce`, `iat` and `exp`, which they replace. */
  claims: Claims;
  /** Claims of the userinfo endpoint. */
  userinfo: Claims;
  /** Signs the following ID tokens. Default: RS256 with the published key. */
  sign: (claims: Claims) => Promise<string>;
  signers: Record<'published' | 'unpublished' | 'none' | 'secret', (claims: Claims) => Promise<string>>;
  /** What endpoints do instead: never respond, never end their response, or fail. */
  faults: Partial<Record<Endpoint, 'hang' | 'drip' | 500>>;
  /** Replaces the key. */
  rotateKey(): Promise<void>;
  /** Signs a person in, as after a redirect to `location`. Returns the query of the callback. */
  logIn(location: string): URLSearchParams;
  /** The number of requests of an endpoint. */
  requests(endpoint: Endpoint): number;
  close(): Promise<void>;
}

const PATHS: Record<Endpoint, string> = {
  discovery: '/.well-known/openid-configuration',
  token: '/token',
  keys: '/keys',
  userinfo: '/userinfo',
};

export async function startFakeProvider(port = 0): Promise<FakeProvider> {
  const service = await startFakeService('127.0.0.1', port);
  const issuer = service.origin;
  let number = 0;
  const newKey = async () => ({ ...(await generateKeyPair('RS256')), kid: `key-${number++}` });
  let key = await newKey();
  const stranger = await newKey();
  const logins = new Map<string, { nonce: string; codeChallenge: string }>();
  const secret = new TextEncoder().encode(CLIENT.OIDC_CLIENT_SECRET);
  const signers: FakeProvider['signers'] = {
    published: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid }).sign(key.privateKey),
    unpublished: (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid }).sign(stranger.privateKey),
    none: async (claims) => new UnsecuredJWT(claims).encode(),
    secret: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret),
  };
  const fake: FakeProvider = {
    issuer,
    claims: {},
    userinfo: {},
    sign: signers.published,
    signers,
    faults: {},
    async rotateKey() {
      key = await newKey();
    },
    logIn(location) {
      const { searchParams: sent } = new URL(location);
      const code = `code-${number++}`;
      logins.set(code, { nonce: sent.get('nonce')!, codeChallenge: sent.get('code_challenge')! });
      return new URLSearchParams({ code, state: sent.get('state')!, iss: issuer });
    },
    requests: (endpoint) => service.received.filter(({ url }) => url === PATHS[endpoint]).length,
    close: () => service.close(),
  };

  const serve = (endpoint: Endpoint, body: () => Promise<[status: number, json: unknown]>) =>
    service.on(PATHS[endpoint], async (_request, response) => {
      const fault = fake.faults[endpoint];
      if (fault === 'hang') return;
      response.setHeader('content-type', 'application/json');
      if (fault === 'drip') return void response.write('{');
      const [status, json] = fault === undefined ? await body() : [fault, {}];
      response.statusCode = status;
      response.end(JSON.stringify(json));
    });
  serve('discovery', async () => [
    200,
    {
      issuer,
      authorization_endpoint: `${issuer}/authorize?tenant=a`,
      token_endpoint: issuer + PATHS.token,
      jwks_uri: issuer + PATHS.keys,
      userinfo_endpoint: issuer + PATHS.userinfo,
      authorization_response_iss_parameter_supported: true,
      // A provider that allows too much.
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      scopes_supported: ['openid', 'profile', 'groups'],
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
    },
  ]);
  serve('keys', async () => [200, { keys: [{ ...(await exportJWK(key.publicKey)), kid: key.kid, use: 'sig' }] }]);
  serve('userinfo', async () => [200, { sub: 'ada-1', ...fake.userinfo }]);
  serve('token', async () => {
    const sent = new URLSearchParams(service.received.at(-1)!.body);
    const login = logins.get(sent.get('code')!);
    logins.delete(sent.get('code')!);
    const hash = createHash('sha256').update(sent.get('code_verifier')!).digest('base64url');
    if (login?.codeChallenge !== hash) return [400, { error: 'invalid_grant' }];
    const now = Math.floor(Date.now() / 1_000);
    const usual = {
      iss: issuer,
      sub: 'ada-1',
      aud: CLIENT.OIDC_CLIENT_ID,
      nonce: login.nonce,
      iat: now,
      exp: now + 300,
    };
    const id_token = await fake.sign({ ...usual, name: 'Ada Lovelace', groups: ['writers'], ...fake.claims });
    return [200, { access_token: 'access', token_type: 'Bearer', id_token }];
  });
  return fake;
}
