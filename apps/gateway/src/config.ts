import { PLANS, type Plan } from '@waymark/contract';
import {
  addressConfig,
  brandConfig,
  brandRules,
  type Environment,
  grpcClientTlsConfig,
  grpcClientTlsRules,
  HOST_DESCRIPTION,
  limitsConfig,
  loadConfig,
  processConfig,
} from '@waymark/service-kit';
import Type, { type Static } from 'typebox';
import { ACCESS_RULE } from './oidc/access.ts';

const origins = (service: string) =>
  Type.Array(Type.String({ format: 'http-origin' }), {
    minItems: 1,
    description: `The URL of ${service}, or a comma-separated list of the URLs of its replicas.`,
  });
const perMinute = (fallback: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: fallback, description });

/** The environment variables of the gateway. */
export const configSchema = Type.Object(
  {
    GATEWAY_HOST: Type.String({ format: 'host', default: '::', description: HOST_DESCRIPTION }),
    GATEWAY_PORT: Type.Integer({
      minimum: 0,
      maximum: 65_535,
      default: 8080,
      description: 'The public port; 0 picks a free one.',
    }),
    ...addressConfig,
    SIGN_IN_COMMAND: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The command line that makes a link to sign in to the dashboard, up to the user name, for the sign-in page. Without it, the page names none.',
      }),
    ),
    OIDC_ISSUER: Type.Optional(
      Type.String({
        format: 'http-url',
        description:
          'The OpenID provider with which people sign in to the dashboard ([sign-in.md](docs/sign-in.md)). Without it, there are sign-in links and passkeys.',
      }),
    ),
    OIDC_CLIENT_ID: Type.Optional(Type.String({ minLength: 1, description: 'The id of Waymark at the provider.' })),
    OIDC_CLIENT_SECRET: Type.Optional(
      Type.String({ minLength: 1, writeOnly: true, description: 'The secret of Waymark at the provider.' }),
    ),
    OIDC_ACCESS: Type.Array(Type.String({ accepts: ACCESS_RULE }), {
      default: [],
      description:
        'Who may do what: GROUP=ACCOUNT:ROLE, comma-separated. GROUP is a group of the provider, or `*` for everybody who can sign in; ROLE is viewer, editor or owner. Missing accounts are created.',
    }),
    OIDC_GROUPS_CLAIM: Type.String({
      minLength: 1,
      default: 'groups',
      description: 'The claim that names the groups of a person.',
    }),
    OIDC_PLAN: Type.Unsafe<Plan>({
      type: 'string',
      enum: [...PLANS],
      default: 'developer',
      description: 'The plan of accounts that a sign-in creates.',
    }),
    ...brandConfig,
    MCP_ALLOWED_ORIGINS: Type.Array(Type.String({ format: 'http-origin' }), {
      default: [],
      description:
        'Additional origins of web pages that may call /mcp. The origin of API_URL, and requests without Origin, are always allowed.',
    }),
    LINKS_URL: origins('links-svc'),
    ANALYTICS_URL: origins('analytics-svc'),
    MCP_URL: origins('mcp-svc'),
    LINKS_GRPC: Type.String({ format: 'host-port', description: 'The gRPC address of links-svc.' }),
    RATE_LIMIT_PER_MINUTE: perMinute(
      600,
      'How many requests per minute one API key or session may make; 0 turns the limit off.',
    ),
    AUTH_FAILURES_PER_MINUTE: perMinute(
      60,
      'How many requests per minute one address may make without a valid API key; 0 turns the limit off.',
    ),
    ...limitsConfig,
    TRUST_PROXY: Type.Array(Type.String({ format: 'proxy' }), {
      default: [],
      description: 'Addresses and networks of the proxies whose X-Forwarded-For is trusted.',
    }),
    ...processConfig,
    ...grpcClientTlsConfig,
  },
  {
    ...grpcClientTlsRules,
    dependentRequired: {
      ...grpcClientTlsRules.dependentRequired,
      ...brandRules,
      // All three or none, in a circle: each problem is one line.
      OIDC_ISSUER: ['OIDC_CLIENT_ID'],
      OIDC_CLIENT_ID: ['OIDC_CLIENT_SECRET'],
      OIDC_CLIENT_SECRET: ['OIDC_ISSUER'],
    },
  },
);

export type Config = Static<typeof configSchema>;

/**
 * Reads the gateway's configuration from the environment.
 * @throws {ConfigError} names every variable that is missing or invalid.
 */
export function readConfig(env: Environment = process.env): Config {
  return loadConfig(configSchema, env);
}
