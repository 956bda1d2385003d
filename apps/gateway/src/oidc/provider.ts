import { AppError } from '@waymark/contract';
import { callTimeMs, REQUEST_MAX_MS } from '@waymark/service-kit';
import type { FastifyBaseLogger } from 'fastify';
import * as openid from 'openid-client';
import type { BegunSignIn } from './begun-sign-ins.ts';

export interface ProviderOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  groupsClaim: string;
  /** Where the gateway is, without a slash at the end. */
  apiUrl: string;
}

/** A person who has signed in at the provider. `issuer` and `subject` together identify them. */
export interface KnownPerson {
  issuer: string;
  subject: string;
  name: string;
  groups: string[];
}

/** Where the provider sends browsers back to. */
export const CALLBACK_PATH = '/auth/oidc/callback';

/** How long the provider's metadata are used before they are read again. */
const METADATA_MAX_AGE_MS = 10 * 60_000;
const CLOCK_TOLERANCE_SECONDS = 60;
const NAME_MAX_LENGTH = 100;
const AWAY_MESSAGE =
  'The OpenID provider does not respond as it should; try again in a moment, or sign in with a link from the operator.';
/** Codes of errors that are about the provider, not about a sign-in. */
const OF_PROVIDER = ['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'];

/** The OpenID provider. Everything that it is asked ends with the present request. */
export class OidcProvider {
  readonly #options: ProviderOptions;
  #metadata: { found: Promise<openid.ServerMetadata>; atMs: number } | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  /**
   * Returns where to send a browser to sign in.
   * @throws {AppError} `unavailable` if the provider is away.
   */
  async authorizationUrl(state: string, { nonce, codeVerifier }: BegunSignIn): Promise<string> {
    const { groupsClaim, apiUrl } = this.#options;
    const configuration = await this.#configure();
    // Some providers need a scope for groups, and others refuse one that they do not know.
    const { scopes_supported: scopes = [] } = configuration.serverMetadata();
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: apiUrl + CALLBACK_PATH,
      scope: ['openid', 'profile', ...scopes.filter((scope) => scope === groupsClaim)].join(' '),
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * Returns the person whom the provider names for what a browser came back with, or null if anything is wrong with it.
   * @throws {AppError} `unavailable` if the provider is away.
   */
  async identify(query: string, begun: BegunSignIn, log: FastifyBaseLogger): Promise<KnownPerson | null> {
    const configuration = await this.#configure();
    const url = new URL(`${this.#options.apiUrl}${CALLBACK_PATH}?${query}`);
    try {
      const tokens = await openid.authorizationCodeGrant(configuration, url, {
        expectedState: url.searchParams.get('state')!,
        expectedNonce: begun.nonce,
        pkceCodeVerifier: begun.codeVerifier,
        idTokenExpected: true,
      });
      return this.#personOf(await this.#claimsOf(configuration, tokens));
    } catch (error) {
      const reason = reasonOf(error);
      log.info({ reason }, 'a sign-in at the OpenID provider is refused');
      return null;
    }
  }

  /** Returns the claims of the ID token, and those of the userinfo endpoint if it does not name the groups. */
  async #claimsOf(
    configuration: openid.Configuration,
    tokens: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers,
  ): Promise<openid.IDToken> {
    const claims = tokens.claims()!;
    if (claims[this.#options.groupsClaim] !== undefined) return claims;
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
  }

  #personOf(claims: openid.IDToken): KnownPerson {
    const groups = [claims[this.#options.groupsClaim]].flat();
    const names = [claims.name, claims.preferred_username, claims.sub];
    const name = names.find((one): one is string => typeof one === 'string' && one.trim() !== '')!;
    return {
      issuer: claims.iss,
      subject: claims.sub.toWellFormed(),
      name: [...name.toWellFormed().trim()].slice(0, NAME_MAX_LENGTH).join(''),
      groups: groups.filter((group) => typeof group === 'string'),
    };
  }

  /** The result has no signing keys of the provider yet: each sign-in reads them, so that a new one works at once. */
  async #configure(): Promise<openid.Configuration> {
    const { clientId, clientSecret } = this.#options;
    const metadata = await this.#findMetadata();
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = metadata;
    const authentication = methods.includes('client_secret_basic')
      ? openid.ClientSecretBasic(clientSecret)
      : openid.ClientSecretPost(clientSecret);
    const client = { [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const configuration = new openid.Configuration(metadata, clientId, client, authentication);
    configuration[openid.customFetch] = ask;
    for (const extension of this.#extensions) extension(configuration);
    // The signature of an ID token is checked, although TLS vouches for it.
    openid.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  async #findMetadata(): Promise<openid.ServerMetadata> {
    if (this.#metadata === undefined || performance.now() - this.#metadata.atMs > METADATA_MAX_AGE_MS)
      this.#metadata = { found: this.#discover(), atMs: performance.now() };
    const metadata = this.#metadata;
    try {
      return await metadata.found;
    } catch (cause) {
      // Others that waited for it may have begun again.
      if (this.#metadata === metadata) this.#metadata = undefined;
      throw away(cause);
    }
  }

  async #discover(): Promise<openid.ServerMetadata> {
    const { issuer, clientId } = this.#options;
    const options = { [openid.customFetch]: ask, execute: this.#extensions };
    return (await openid.discovery(new URL(issuer), clientId, undefined, openid.None(), options)).serverMetadata();
  }

  get #extensions() {
    return this.#options.issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [];
  }
}

/** Sends a request to the provider, and reads the response to its end, within the time of the present request. */
async function ask(url: string, options: openid.CustomFetchOptions): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(callTimeMs(REQUEST_MAX_MS));
    const response = await fetch(url, { ...options, signal } as RequestInit);
    if (response.status >= 500) throw new Error(`the provider responded with ${response.status}`);
    const body = await response.arrayBuffer();
    return new Response(body.byteLength === 0 ? null : body, response);
  } catch (cause) {
    throw away(cause);
  }
}

/**
 * Returns why a sign-in is refused, for the log. It holds no token and no claim.
 * @throws {AppError} `unavailable` if the error is about the provider. Any error that is not about a sign-in.
 */
function reasonOf(error: unknown): string {
  const { cause, code = '' } = error as { cause?: unknown; code?: string };
  if (cause instanceof AppError) throw cause;
  if (error instanceof openid.AuthorizationResponseError) return `${error.message} (${error.error})`;
  // Anything else that a token endpoint refuses is about this client.
  if (error instanceof openid.ResponseBodyError && error.error === 'invalid_grant') return error.message;
  if (!(error instanceof openid.ClientError) || OF_PROVIDER.includes(code)) throw away(error);
  return `${error.message} (${code})`;
}

function away(cause: unknown): AppError {
  return cause instanceof AppError ? cause : new AppError('unavailable', AWAY_MESSAGE, { cause });
}
