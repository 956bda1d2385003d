import type {
  Account,
  AccountKeys,
  AddHostInput,
  AddPasskeyInput,
  Analytics,
  AnalyticsQuery,
  AutoMeta,
  AutoMetaQuery,
  CreateLinkInput,
  CreateRestrictedKeyInput,
  CreateSessionInput,
  CreateWebhookInput,
  Deliveries,
  EventList,
  ExportLinksQuery,
  HashtagList,
  Host,
  Hosts,
  Job,
  JobInput,
  JobList,
  Link,
  LinkList,
  ListLinksQuery,
  NewKey,
  NewRestrictedKey,
  NewWebhook,
  Passkey,
  PasskeySignInInput,
  Passkeys,
  QrQuery,
  ReadEventsQuery,
  ReplayInput,
  RestrictedKeys,
  RotateKeyInput,
  Session,
  SessionAccounts,
  SwitchSessionInput,
  UpdateHostInput,
  UpdateLinkInput,
  UpdateWebhookInput,
  Webhook,
  Webhooks,
} from '@waymark/contract';

/** Options of WebAuthn, as JSON. */
type WebAuthnOptions = Record<string, unknown>;

/** The body of a job. The API fills in `dry_run`. */
export type NewJob =
  | Omit<Extract<JobInput, { kind: 'edit' }>, 'dry_run'>
  | Omit<Extract<JobInput, { kind: 'delete' }>, 'dry_run'>;

/** The requests of the dashboard: what each sends, and the JSON that it gets. */
export interface Routes {
  'GET /api/v1/me': { result: Account };
  'GET /api/v1/me/accounts': { result: SessionAccounts };
  'GET /api/v1/me/keys': { result: AccountKeys };
  'POST /api/v1/me/keys/{scope}/rotate': { body: RotateKeyInput; result: NewKey };
  'DELETE /api/v1/me/keys/{scope}': object;
  'GET /api/v1/me/keys/restricted': { result: RestrictedKeys };
  'POST /api/v1/me/keys/restricted': { body: CreateRestrictedKeyInput; result: NewRestrictedKey };
  'DELETE /api/v1/me/keys/restricted/{id}': object;
  'GET /api/v1/me/passkeys': { result: Passkeys };
  'POST /api/v1/me/passkeys': { body: AddPasskeyInput; result: Passkey };
  'POST /api/v1/me/passkeys/options': { result: WebAuthnOptions };
  'DELETE /api/v1/me/passkeys/{id}': object;
  'POST /api/v1/sessions': { body: CreateSessionInput; result: Session };
  'POST /api/v1/sessions/passkey': { body: PasskeySignInInput; result: Session };
  'POST /api/v1/sessions/passkey/options': { result: WebAuthnOptions };
  'POST /api/v1/sessions/switch': { body: SwitchSessionInput; result: Session };
  'DELETE /api/v1/sessions/current': object;
  'GET /api/v1/links': { query: Partial<ListLinksQuery>; result: LinkList };
  'POST /api/v1/links': { body: CreateLinkInput; result: Link };
  'GET /api/v1/links/export': { query: Partial<ExportLinksQuery> };
  'GET /api/v1/links/{id}': { result: Link };
  'PUT /api/v1/links/{id}': { body: UpdateLinkInput; result: Link };
  'DELETE /api/v1/links/{id}': object;
  'GET /api/v1/links/{id}/qr': { query: Partial<QrQuery> };
  'GET /api/v1/hashtags': { result: HashtagList };
  'GET /api/v1/auto-meta': { query: AutoMetaQuery; result: AutoMeta };
  'GET /api/v1/jobs': { result: JobList };
  'POST /api/v1/jobs': { body: NewJob; result: Job };
  'POST /api/v1/jobs/import': { query: { name: string; columns?: string; dry_run?: 'true' }; body: File };
  'POST /api/v1/jobs/{id}/cancel': { result: Job };
  'POST /api/v1/jobs/{id}/undo': { result: Job };
  'GET /api/v1/jobs/{id}/refused': object;
  'GET /api/v1/hosts': { result: Hosts };
  'POST /api/v1/hosts': { body: AddHostInput; result: Host };
  'PUT /api/v1/hosts/{id}': { body: UpdateHostInput; result: Host };
  'DELETE /api/v1/hosts/{id}': object;
  'POST /api/v1/hosts/{id}/verify': { result: Host };
  'GET /api/v1/events': { query: Partial<ReadEventsQuery>; result: EventList };
  'GET /api/v1/webhooks': { result: Webhooks };
  'POST /api/v1/webhooks': { body: CreateWebhookInput; result: NewWebhook };
  'PUT /api/v1/webhooks/{id}': { body: UpdateWebhookInput; result: Webhook };
  'DELETE /api/v1/webhooks/{id}': object;
  'POST /api/v1/webhooks/{id}/rotate-secret': { result: NewWebhook };
  'POST /api/v1/webhooks/{id}/test': object;
  'POST /api/v1/webhooks/{id}/replay': { body: ReplayInput };
  'GET /api/v1/webhooks/{id}/deliveries': { result: Deliveries };
  'GET /api/v1/analytics': { query: Partial<AnalyticsQuery>; result: Analytics };
}
export type Route = keyof Routes;

/** What a request of a route sends. */
export type Sent<Name extends Route> = Omit<Routes[Name], 'result'> &
  PathOf<Name> & { headers?: Record<string, string>; signal?: AbortSignal | undefined; keepalive?: boolean };

type PathOf<Name> = Name extends `${string}{${infer Parameter}}${string}`
  ? { path: Record<Parameter, string> }
  : object;

/** The JSON that a route responds with. */
export type Result<Name extends Route> = Routes[Name] extends { result: infer Json } ? Json : undefined;

/** Returns the URL of a request. */
export function urlOf(route: Route, path: Record<string, string> = {}, query: object = {}): string {
  const template = route.slice(route.indexOf('/'));
  const url = new URL(
    template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name]!)),
    location.origin,
  );
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}
