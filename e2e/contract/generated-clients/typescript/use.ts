import {
  AccountApi,
  AnalyticsApi,
  Configuration,
  EventsApi,
  HostsApi,
  JobsApi,
  LinksApi,
  type ResponseError,
  SessionsApi,
  WebhooksApi,
} from './client/index.js';

// Calls every operation below /api/ and prints what it saw; generated-clients.test.ts says what that must be.

const { BASE_URL: basePath = '', API_KEY, SIGN_IN_TOKEN = '' } = process.env;
const configured = (accessToken?: string) => new Configuration({ basePath, accessToken });
const links = new LinksApi(configured(API_KEY));

async function refusal(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    const { response } = error as ResponseError;
    return [response.status, ((await response.json()) as { error: string }).error];
  }
}
const hex = async (blob: Blob) => Buffer.from(await blob.arrayBuffer()).toString('hex', 0, 8);

const seen: Record<string, unknown> = {};
seen.me = (await new AccountApi(configured(API_KEY)).getMe()).keyScope;

const createLinkInput = {
  destinationUrl: 'https://example.com/',
  title: 'Created',
  hashtags: ['kept'],
  autoMeta: false,
};
const created = await links.createLink({ idempotencyKey: 'generated', createLinkInput });
let id = created.id;
seen.created = [created.title, created.hashtags, created.visibility];
const updated = await links.updateLink({ id, updateLinkInput: { title: 'Updated' } });
seen.updated = [updated.title, updated.hashtags];
const emptied = await links.updateLink({ id, updateLinkInput: { hashtags: [], visibility: 'unlisted' } });
seen.emptied = [emptied.title, emptied.hashtags];
seen.got = (await links.getLink({ id })).visibility;
const { results } = await links.bulkEditLinks({
  bulkInput: {
    operations: [
      { op: 'create', link: { destinationUrl: 'https://example.org/', title: 'Bulk' } },
      { op: 'update', id, link: { title: 'Changed' } },
      { op: 'upsert', link: { slug: created.slug, destinationUrl: 'https://example.com/', title: 'Upserted' } },
      { op: 'delete', id: 'unknown' },
      { op: 'delete', id },
    ],
  },
});
seen.bulk = results.map(({ status, link, error }) => [status, link?.title ?? error]);
id = results[0]?.link?.id ?? '';
const list = await links.listLinks({ q: 'bulk', visibility: 'public', sort: 'title', per: 10 });
seen.listed = [list.total, list.links[0]?.title];
seen.png = await hex(await links.getQrCode({ id, format: 'png', size: 128 }));
seen.svg = (await (await links.getQrCode({ id })).text()).slice(0, 4);
seen.csv = (await (await links.exportLinks({ q: 'bulk', format: 'csv' })).text()).slice(0, 8);
seen.ndjson = JSON.parse(await (await links.exportLinks({ q: 'bulk' })).text()).title;
const clicks = new AnalyticsApi(configured(API_KEY));
const analytics = await clicks.getAnalytics({ days: 7, tz: 'Europe/Berlin' });
seen.analytics = [analytics.days, analytics.clicks, analytics.clicksByDay!.length];
seen.clicks = (await (await clicks.listClicks({ linkId: id, format: 'csv' })).text()).slice(0, 7);
await links.deleteClicks({ id });
seen.forgotten = await refusal(links.deleteClicks({ id: 'unknown' }));
seen.page = ((await refusal(links.readAutoMeta({}))) as [number])[0];
const jobs = new JobsApi(configured(API_KEY));
const jobInput = { kind: 'edit' as const, filter: { q: 'bulk' }, change: { addHashtags: ['jobbed'] } };
const job = await jobs.startJob({ jobInput });
seen.job = [job.state, job.changed];
seen.hashtags = (await links.listHashtags()).hashtags.map(({ hashtag, links: count }) => [hashtag, count]);
const { events } = await new EventsApi(configured(API_KEY)).listEvents({ types: 'link.created', limit: 1 });
seen.events = [events[0]!.type, events[0]!.actor!.kind];
const webhooks = new WebhooksApi(configured(API_KEY));
const createWebhookInput = { url: 'https://example.com/hook', types: new Set(['link.created'] as const) };
const made = await webhooks.createWebhook({ createWebhookInput });
const hook = { id: made.id };
const stopped = await webhooks.updateWebhook({ ...hook, updateWebhookInput: { enabled: false } });
const renewed = await webhooks.rotateWebhookSecret(hook);
await webhooks.replayWebhook({ ...hook, replayInput: { after: events[0]!.id } });
seen.webhooks = [
  made.secret.slice(0, 6),
  (await webhooks.getWebhook(hook)).url,
  stopped.enabled,
  renewed.secret === made.secret,
  (await webhooks.listDeliveries(hook)).deliveries.length,
];
await webhooks.testWebhook(hook);
await webhooks.deleteWebhook(hook);
(seen.webhooks as unknown[]).push((await webhooks.listWebhooks()).webhooks.length);
seen.rejected = (await (await jobs.listRefused({ id: job.id })).text()).slice(0, 9);
seen.over = await refusal(jobs.cancelJob({ id: job.id }));
const undo = await jobs.undoJob({ id: job.id });
seen.undone = (await jobs.getJob({ id: undo.id })).kind;
const file = new Blob(['url\nhttps://example.com/\n'], { type: 'text/csv' });
const begun = await jobs.startImport({ body: file });
if (!('id' in begun)) throw new Error('a preview');
let imported = await jobs.getJob({ id: begun.id });
while (imported.finishedAt === null) imported = await jobs.getJob({ id: begun.id });
seen.imported = [imported.kind, imported.created];
seen.jobs = (await jobs.listJobs()).jobs.length;
await links.deleteLink({ id });
seen.refused = await refusal(links.getLink({ id }));
seen.invalid = await refusal(links.listLinks({ per: 101 }));

const sessions = new SessionsApi(configured());
const { token } = await sessions.createSession({ createSessionInput: { token: SIGN_IN_TOKEN } });
const account = new AccountApi(configured(token));
seen.keys = (await account.listKeys()).keys.map(({ scope }) => scope);
seen.rotated = (await account.rotateKey({ scope: 'public_links_only' })).key.slice(0, 8);
await account.revokeKey({ scope: 'public_links_only' });
seen.left = (await account.listKeys()).keys.length;
const restricted = await account.createRestrictedKey({
  createRestrictedKeyInput: { name: 'Reader', scope: 'full_access', actions: new Set(['read'] as const) },
});
const [reader] = (await account.listRestrictedKeys()).keys;
await account.deleteRestrictedKey({ id: restricted.id });
const restrictedLeft = (await account.listRestrictedKeys()).keys.length;
seen.restricted = [restricted.key.slice(0, 8), reader!.name, [...reader!.actions], restrictedLeft];
const saveFilterInput = { name: 'Sale', query: { hashtag: 'sale' } };
const saved = await account.saveFilter({ saveFilterInput });
const filters = (await account.listSavedFilters()).filters.map(({ name }) => name);
await account.deleteSavedFilter({ id: saved.id });
seen.filters = [saved.query.hashtag, filters, (await account.listSavedFilters()).filters.length];
const hosts = new HostsApi(configured(API_KEY));
const host = await hosts.addHost({ addHostInput: { host: 'go.example.com' } });
const rooted = await hosts.updateHost({ id: host.id, updateHostInput: { rootUrl: 'https://example.com/' } });
const listed = (await hosts.listHosts()).hosts.length;
const got = (await hosts.getHost({ id: host.id })).host;
const looked = (await hosts.verifyHost({ id: host.id })).status;
await hosts.deleteHost({ id: host.id });
const gone = ((await refusal(hosts.getHost({ id: host.id }))) as [number])[0];
seen.hosts = [host.status, rooted.rootUrl, listed, got, looked, gone];
const status = async (refused: Promise<unknown>) => ((await refusal(refused)) as [number])[0];
const response = {};
seen.passkeys = [
  (await account.createPasskeyOptions()).attestation,
  (await account.listPasskeys()).passkeys.length,
  await status(account.addPasskey({ addPasskeyInput: { name: 'Generated', response } })),
  await status(account.deletePasskey({ id: 'unknown' })),
  (await sessions.createSignInOptions()).userVerification,
  await status(sessions.createPasskeySession({ passkeySignInInput: { response } })),
];
const own = new SessionsApi(configured(token));
const [ownAccount] = (await account.listSessionAccounts()).accounts;
const switched = await status(own.switchSession({ switchSessionInput: { username: 'unknown' } }));
seen.accounts = [ownAccount!.role, ownAccount!.current, switched];
await own.deleteCurrentSession();
console.log(JSON.stringify(seen));
