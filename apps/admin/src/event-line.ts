import type { AccountEvent } from '@waymark/contract';

/** What an event may be about. `--json` has all of it. */
interface Subject {
  link?: { id: string; slug?: string };
  host?: { host: string };
  passkey?: { name: string };
  webhook?: { id: string; url: string };
  changes?: object;
  from?: string | null;
  to?: string;
  hint?: string;
  name?: string;
}

/** Returns an event in one line: its time, id, type, actor and subject. */
export function lineOf({ id, type, created_at, actor, data }: AccountEvent): string {
  return [created_at, id, type.padEnd(20), actorOf(actor), aboutOf(data)].join('  ').trimEnd();
}

function actorOf(actor: AccountEvent['actor']): string {
  if (actor === undefined) return '';
  const { kind, scope, hint, name } = actor;
  return [kind, scope, hint, name].filter((part) => part !== null).join(' ');
}

function aboutOf(data: Subject): string {
  const { link, host, passkey, webhook, changes, from, to, hint, name } = data;
  const plan = to === undefined ? [] : [from, '->', to];
  // A URL of any characters is plain in this form.
  const url = webhook && new URL(webhook.url).href;
  const fields = changes && `(${Object.keys(changes).join(', ')})`;
  return [link?.id, link?.slug, host?.host, passkey?.name, webhook?.id, url, ...plan, hint, name, fields]
    .filter((part) => part !== undefined && part !== null)
    .join(' ');
}
