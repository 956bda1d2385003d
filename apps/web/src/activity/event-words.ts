import type { AccountEvent } from '@waymark/contract';
import { readableHost } from '../hosts/host-name.ts';
import { linkPath } from '../links/link-path.ts';
import { shortUrlStart } from '../short-url.ts';
import { activity as texts } from '../texts/activity.ts';
import { fieldLabels, visibilities } from '../texts/links.ts';
import { minuteText } from '../texts/locale.ts';

/** Data of an event, as any type of event may have it. */
type Data = Record<string, unknown>;
type Fields = Record<string, unknown>;

const SHOW_DESTINATION: readonly string[] = ['link.created', 'link.deleted', 'link.broken'];

/** What an event is about. */
export interface Subject {
  /** A name that a translator must leave as it is. */
  name: string;
  /** The view that shows it, if it still exists. */
  path: string | null;
}

/** A field that an event changed: its label, and what it had before and has now. Null is a value that no log keeps. */
export interface ShownChange {
  field: string;
  label: string;
  values: { from: string; to: string } | null;
}

/** Says who made a change. */
export function actorText({ kind, scope, hint, name }: NonNullable<AccountEvent['actor']>): string {
  if (kind === 'key') return texts.actors.key(scope, hint, name);
  return name ?? texts.actors[kind];
}

/** Returns the link that an event is about, or null. */
export function linkOf({ data }: AccountEvent): { id: string; name: string } | null {
  const link = (data as Data).link as Fields | undefined;
  if (typeof link?.id !== 'string') return null;
  const { id, slug, host } = link;
  if (typeof slug !== 'string') return { id, name: id };
  return { id, name: typeof host === 'string' ? `${shortUrlStart(host)}${slug}` : slug };
}

/** Returns what an event is about, or null if its name says it all. */
export function subjectOf(event: AccountEvent): Subject | null {
  const data = event.data as Data;
  const link = linkOf(event);
  if (link !== null) return { name: link.name, path: event.type === 'link.deleted' ? null : linkPath(link) };
  const host = data.host as Fields | undefined;
  if (typeof host?.host === 'string')
    return { name: readableHost(host.host), path: event.type === 'host.deleted' ? null : '/hosts' };
  const webhook = data.webhook as Fields | undefined;
  if (typeof webhook?.url === 'string')
    return { name: webhook.url, path: event.type === 'webhook.deleted' ? null : '/activity/webhooks' };
  const passkey = data.passkey as Fields | undefined;
  if (typeof passkey?.name === 'string') return { name: passkey.name, path: null };
  if (data.scope === 'full_access' || data.scope === 'public_links_only') {
    const name = typeof data.name === 'string' ? data.name : texts.keyOf(data.scope);
    return { name: [name, data.hint].filter(Boolean).join(' '), path: null };
  }
  return null;
}

/** Returns what an event changed, field by field. */
export function changesOf({ type, data }: AccountEvent): ShownChange[] {
  const changes = type === 'account.plan_changed' ? { plan: data } : (data.changes ?? {});
  return Object.entries(changes as Record<string, { from?: unknown; to?: unknown }>).map(([field, change]) => {
    const values = { from: valueText(field, change.from), to: valueText(field, change.to) };
    // No log keeps a note. Rules are shown by their number.
    return { field, label: labelOf(field), values: values.from === values.to ? null : values };
  });
}

/** Returns one more fact of an event: where a new link leads to, or why a webhook is disabled. */
export function factOf({ type, data }: AccountEvent): { label: string; text: string } | null {
  const { link, webhook } = data as { link?: Fields; webhook?: Fields };
  if (SHOW_DESTINATION.includes(type) && typeof link?.destination_url === 'string')
    return { label: texts.destination, text: link.destination_url };
  if (type === 'webhook.disabled' && typeof webhook?.disabled_reason === 'string')
    return { label: texts.reason, text: webhook.disabled_reason };
  return null;
}

function labelOf(field: string): string {
  return fieldLabels[field] ?? texts.fields[field] ?? field;
}

function valueText(field: string, value: unknown): string {
  if (field === 'host') return typeof value === 'string' ? readableHost(value) : texts.defaultHost;
  if (value === null || value === undefined || value === '') return texts.nothing;
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (Array.isArray(value)) {
    if (value.length === 0) return texts.nothing;
    return field === 'hashtags' ? value.map((tag) => `#${tag}`).join(' ') : texts.rules(value.length);
  }
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  if (field === 'visibility' && text in visibilities) return visibilities[text as keyof typeof visibilities];
  return field.endsWith('_at') ? minuteText(text) : text;
}
