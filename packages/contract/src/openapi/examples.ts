import type { Static, TObject } from 'typebox';
import { Account } from '../accounts/account.ts';
import { AccountKey, NewKey, RotateKeyInput } from '../accounts/key.ts';
import { AddPasskeyInput, Passkey, PasskeySignInInput } from '../accounts/passkey.ts';
import { CreateRestrictedKeyInput, NewRestrictedKey, RestrictedKey } from '../accounts/restricted-key.ts';
import { CreateSessionInput, Session, type SessionAccounts, SwitchSessionInput } from '../accounts/session.ts';
import type { Analytics } from '../analytics/analytics.ts';
import { LINK_NOT_FOUND_MESSAGE } from '../errors.ts';
import { AccountEvent, type EventList } from '../events/event.ts';
import { AddHostInput, Host, UpdateHostInput } from '../hosts/host.ts';
import type { ImportPreview } from '../jobs/import.ts';
import { Job } from '../jobs/job.ts';
import type { JobInput } from '../jobs/job-input.ts';
import { AutoMeta } from '../links/auto-meta.ts';
import type { BulkInput, BulkResults } from '../links/bulk.ts';
import { HashtagList } from '../links/hashtag-list.ts';
import { type CreateLinkInput, Link, type UpdateLinkInput } from '../links/link.ts';
import type { LinkList } from '../links/link-list.ts';
import { SavedFilter, SaveFilterInput } from '../links/saved-filter.ts';
import {
  CreateWebhookInput,
  Delivery,
  NewWebhook,
  ReplayInput,
  UpdateWebhookInput,
  Webhook,
  WebhookClicks,
  WebhookEvent,
} from '../webhooks/webhook.ts';

export const accountExample = exampleOf(Account);
export const accountKeyExample = exampleOf(AccountKey);
export const newKeyExample = exampleOf(NewKey);
export const rotateKeyExample = exampleOf(RotateKeyInput);
export const restrictedKeyExample = exampleOf(RestrictedKey);
export const createRestrictedKeyExample = exampleOf(CreateRestrictedKeyInput);
export const newRestrictedKeyExample = exampleOf(NewRestrictedKey);
export const savedFilterExample = exampleOf(SavedFilter);
export const saveFilterExample = exampleOf(SaveFilterInput);
export const passkeyExample = exampleOf(Passkey);
export const addPasskeyExample = exampleOf(AddPasskeyInput);
export const passkeySignInExample = exampleOf(PasskeySignInInput);
const { notice: _hostNotice, ...verifiedHost } = exampleOf(Host);
export const hostExample = verifiedHost;
export const addHostExample = exampleOf(AddHostInput);
export const updateHostExample = exampleOf(UpdateHostInput);
const { notice: _webhookNotice, ...healthyWebhook } = exampleOf(Webhook);
export const webhookExample = healthyWebhook;
export const newWebhookExample = { ...healthyWebhook, secret: exampleOf(NewWebhook).secret };
export const createWebhookExample = exampleOf(CreateWebhookInput);
export const updateWebhookExample = exampleOf(UpdateWebhookInput);
export const replayExample = exampleOf(ReplayInput);
export const webhookClicksExample = exampleOf(WebhookClicks);
export const webhookEventExample = exampleOf(WebhookEvent);
export const deliveryExample = exampleOf(Delivery);
export const createSessionExample = exampleOf(CreateSessionInput);
export const sessionExample = exampleOf(Session);
export const switchSessionExample = exampleOf(SwitchSessionInput);
export const sessionAccountsExample: SessionAccounts = {
  accounts: [
    { username: 'acme', role: 'editor', current: true },
    { username: 'globex', role: 'viewer', current: false },
  ],
};
export const hashtagListExample = exampleOf(HashtagList);
export const autoMetaExample = exampleOf(AutoMeta);
export const eventListExample: EventList = {
  events: [exampleOf(AccountEvent)],
  next: exampleOf(AccountEvent).id,
};
const { destination_url, title, hashtags } = exampleOf(Link);

/** Returns the link of the schema's examples, with a short URL below `publicUrl`. */
export function linkExample(publicUrl: string): Link {
  const link = exampleOf(Link);
  return { ...link, short_url: `${publicUrl}/${link.slug}` };
}

export function linkListExample(publicUrl: string): LinkList {
  return { links: [linkExample(publicUrl)], page: 1, per: 25, total: 1, total_pages: 1 };
}

/** An input without a slug, so that readers can send it more than once. */
export const createLinkExample: CreateLinkInput = { destination_url, title, hashtags };

export const protectedLinkExample: CreateLinkInput = {
  destination_url: 'https://example.com/members',
  slug: 'members-only',
  visibility: 'password-protected',
  password: 'correct horse battery staple',
};

export const updateLinkExample: UpdateLinkInput = { title: 'Winter sale', hashtags: ['winter', 'sale'] };

export const bulkExample: BulkInput = {
  operations: [
    { op: 'create', link: createLinkExample },
    { op: 'update', id: '019a4f0e8f2c7d31a4b6', link: updateLinkExample },
    { op: 'delete', id: '019a4f0e8f2c7d31a4b7' },
  ],
};
export function bulkResultsExample(publicUrl: string): BulkResults {
  return {
    results: [
      { status: 201, link: linkExample(publicUrl) },
      { status: 404, error: LINK_NOT_FOUND_MESSAGE },
      { status: 204 },
    ],
  };
}

const { notice: _notice, ...doneJob } = exampleOf(Job);
/** A job that is done. */
export const jobExample = doneJob;

export const importPreviewExample: ImportPreview = {
  format: 'bitly',
  columns: { destination_url: 'Long URL', title: 'Title' },
  rows: [
    { row: 2, link: { destination_url: 'https://example.com/summer', title: 'Summer' } },
    { row: 3, error: '"destination_url" is required.' },
  ],
  encoding: 'windows-1252',
  unused_columns: ['Engagements'],
};

export const jobInputExample: JobInput = {
  kind: 'edit',
  filter: { hashtag: 'summer', archived: 'any' },
  change: {
    archived: true,
    replace_hashtag: { from: 'summer', to: 'summer-2026' },
    replace_host: { from: 'old.example.com', to: 'new.example.com' },
  },
  dry_run: true,
};

/** Returns analytics of three days, to keep the example short. All sums equal `clicks`. */
export function analyticsExample(publicUrl: string): Analytics {
  const { id, slug, short_url, title, destination_url } = linkExample(publicUrl);
  return {
    days: 3,
    source: null,
    tz: 'UTC',
    from: '2026-11-19',
    to: '2026-11-21',
    clicks: 42,
    clicks_by_day: [
      { date: '2026-11-19', clicks: 12 },
      { date: '2026-11-20', clicks: 0 },
      { date: '2026-11-21', clicks: 30 },
    ],
    devices: [
      { device: 'mobile', clicks: 30 },
      { device: 'desktop', clicks: 12 },
    ],
    sources: [
      { source: 'google.com', clicks: 40 },
      { source: 'direct', clicks: 2 },
    ],
    top_links: [{ id, slug, short_url, title, destination_url, clicks: 42 }],
  };
}

/**
 * Returns an object with the first example of each field that has some.
 * @throws {Error} if a field that is always there has none.
 */
function exampleOf<Schema extends TObject>(schema: Schema): Static<Schema> {
  const fields = Object.entries(schema.properties as Record<string, { examples?: unknown[] }>);
  const examples = fields.flatMap(([name, { examples }]) => {
    if (examples !== undefined) return [[name, examples[0]]];
    if (schema.required?.includes(name)) throw new Error(`the schema of "${name}" needs "examples"`);
    return [];
  });
  return Object.fromEntries(examples) as Static<Schema>;
}
