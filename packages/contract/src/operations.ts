import type { Need } from './accounts/action.ts';
import { LINK_PATHS, LINKS_PATH } from './links/link-paths.ts';
import type { ToolName } from './tools/tools.ts';

/** Something that clients do, at each of its doors. */
export interface Operation {
  needs: Need;
  /** Methods and paths of REST, in Fastify's notation. A HEAD needs what its GET does. */
  routes?: readonly string[];
  /** Methods of gRPC. */
  rpcs?: readonly string[];
  tools?: readonly ToolName[];
}

const FILTERS = '/api/v1/me/filters';
const HOSTS = '/api/v1/hosts';
const JOBS = '/api/v1/jobs';
const KEYS = '/api/v1/me/keys';
const PASSKEYS = '/api/v1/me/passkeys';
const WEBHOOKS = '/api/v1/webhooks';

const accounts = (...names: string[]) => names.map((name) => `accounts.v1.AccountsService/${name}`);
const analytics = (...names: string[]) => names.map((name) => `analytics.v1.AnalyticsService/${name}`);
const clicks = (...names: string[]) => names.map((name) => `clicks.v1.ClicksService/${name}`);
const events = (...names: string[]) => names.map((name) => `events.v1.EventsService/${name}`);
const hosts = (...names: string[]) => names.map((name) => `hosts.v1.HostsService/${name}`);
const jobs = (...names: string[]) => names.map((name) => `jobs.v1.JobsService/${name}`);
const links = (...names: string[]) => names.map((name) => `links.v1.LinksService/${name}`);
const ofLink = (method: string, below = '') => LINK_PATHS.map((path) => `${method} ${path}${below}`);

/**
 * Every route that needs an identity, every method of gRPC and every tool, with what it needs. Each service enforces the
 * table before its handlers run. Where several actions are named, the handler checks those that the request is about.
 */
export const OPERATIONS: readonly Operation[] = [
  {
    needs: 'account',
    routes: [
      'GET /api/v1/me',
      'GET /api/v1/me/accounts',
      'POST /api/v1/sessions/switch',
      'DELETE /api/v1/sessions/current',
    ],
    rpcs: accounts('GetMe'),
    tools: ['get_me'],
  },
  {
    needs: 'read',
    routes: [`GET ${LINKS_PATH}`, ...ofLink('GET'), `GET ${LINKS_PATH}/export`, ...ofLink('GET', '/qr')],
    rpcs: links('ListLinks', 'GetQrCode'),
    tools: ['list_links', 'get_link', 'get_qr_code'],
  },
  { needs: 'read', routes: [`GET ${FILTERS}`] },
  { needs: 'update', routes: [`POST ${FILTERS}`, `DELETE ${FILTERS}/:id`] },
  { needs: 'read', routes: ['GET /api/v1/hashtags'], rpcs: links('ListHashtags'), tools: ['list_hashtags'] },
  { needs: 'create', routes: [`POST ${LINKS_PATH}`], rpcs: links('CreateLink'), tools: ['create_link'] },
  { needs: ['create', 'update'], routes: ['GET /api/v1/auto-meta'] },
  { needs: 'update', routes: ofLink('PUT'), rpcs: links('UpdateLink'), tools: ['update_link'] },
  { needs: 'delete', routes: ofLink('DELETE'), rpcs: links('DeleteLink'), tools: ['delete_link'] },
  { needs: 'delete', routes: ofLink('DELETE', '/clicks') },
  {
    needs: ['create', 'update', 'delete'],
    routes: [`POST ${LINKS_PATH}/bulk`],
    rpcs: links('BulkEditLinks'),
    tools: ['bulk_edit_links'],
  },
  { needs: ['update', 'delete'], routes: [`POST ${JOBS}`], rpcs: jobs('StartJob'), tools: ['edit_links'] },
  { needs: 'create', routes: [`POST ${JOBS}/import`] },
  {
    needs: 'read',
    routes: [`GET ${JOBS}`, `GET ${JOBS}/:id`, `GET ${JOBS}/:id/refused`],
    rpcs: jobs('GetJob'),
    tools: ['get_job'],
  },
  { needs: ['create', 'update', 'delete'], routes: [`POST ${JOBS}/:id/cancel`] },
  { needs: ['update', 'delete'], routes: [`POST ${JOBS}/:id/undo`], rpcs: jobs('UndoJob'), tools: ['undo_job'] },
  {
    needs: 'analytics',
    routes: ['GET /api/v1/analytics'],
    rpcs: [...analytics('GetAnalytics'), ...links('GetHiddenLinks', 'FindLinkIds', 'FindLinkHashtags')],
    tools: ['get_analytics'],
  },
  { needs: 'read', routes: ['GET /api/v1/events'], rpcs: events('ListEvents'), tools: ['list_events'] },
  { needs: 'analytics', routes: ['GET /api/v1/clicks'], rpcs: analytics('ListClicks') },
  // analytics-svc reads the links that it names.
  { needs: ['read', 'analytics'], rpcs: links('GetLink', 'BatchGetLinks') },
  { needs: 'read', routes: [`GET ${HOSTS}`, `GET ${HOSTS}/:id`] },
  {
    needs: 'manage',
    routes: [`POST ${HOSTS}`, `PUT ${HOSTS}/:id`, `DELETE ${HOSTS}/:id`, `POST ${HOSTS}/:id/verify`],
  },
  {
    needs: 'manage',
    routes: [
      ...['GET', 'POST'].map((method) => `${method} ${WEBHOOKS}`),
      ...['GET', 'PUT', 'DELETE'].map((method) => `${method} ${WEBHOOKS}/:id`),
      ...['rotate-secret', 'test', 'replay'].map((action) => `POST ${WEBHOOKS}/:id/${action}`),
      `GET ${WEBHOOKS}/:id/deliveries`,
    ],
  },
  {
    needs: 'manage',
    routes: [`GET ${KEYS}`, `POST ${KEYS}/:scope/rotate`, `DELETE ${KEYS}/:scope`],
  },
  {
    needs: 'manage',
    routes: [`GET ${KEYS}/restricted`, `POST ${KEYS}/restricted`, `DELETE ${KEYS}/restricted/:id`],
  },
  {
    needs: 'manage',
    routes: [`GET ${PASSKEYS}`, `POST ${PASSKEYS}/options`, `POST ${PASSKEYS}`, `DELETE ${PASSKEYS}/:id`],
  },
  {
    needs: 'service',
    rpcs: [
      ...accounts('ResolveKey', 'ResolveSession', 'FindShortHosts', 'CreateSession', 'CreateSignInOptions'),
      ...accounts(
        'CreatePasskeySession',
        'CreatePersonSignIn',
        'CreateAccount',
        'GetAccount',
        'ListAccounts',
        'SetPlan',
        'DeleteAccount',
      ),
      ...accounts('RotateKey', 'RevokeKey', 'CreateSignInLink', 'SignOut'),
      ...accounts('CreateRestrictedKey', 'ListRestrictedKeys', 'DeleteRestrictedKey'),
      ...analytics('RecordClicks', 'GetLinkTotals', 'PurgeLinks'),
      ...clicks('ExistingLinks', 'RefreshTotals'),
      ...events('ListAccountEvents'),
      ...hosts('ListHosts', 'VerifyHost'),
      ...jobs('ImportLinks', 'GetAccountJob', 'GetRefusedRows'),
      ...links('ExportLinks'),
    ],
  },
];

const needs = new Map<string, Need>();
for (const operation of OPERATIONS) {
  for (const door of [operation.routes, operation.rpcs, operation.tools])
    for (const name of door ?? []) needs.set(name, operation.needs);
}

/**
 * Returns what a route (`GET /api/v1/me`), a method of gRPC (`links.v1.LinksService/GetLink`) or a tool needs.
 * @throws {Error} if it is not in {@link OPERATIONS}.
 */
export function needOf(name: string): Need {
  const need = needs.get(name.replace(/^HEAD /, 'GET '));
  if (need === undefined) throw new Error(`OPERATIONS does not say what ${name} needs`);
  return need;
}
