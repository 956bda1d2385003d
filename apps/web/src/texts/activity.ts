import type { EventType, Scope } from '@waymark/contract';
import { countText } from './locale.ts';

/** What happened, by the API's name of the event. */
export const eventNames: Record<EventType, string> = {
  'link.created': 'Link created',
  'link.updated': 'Link changed',
  'link.deleted': 'Link deleted',
  'link.expired': 'Link expired',
  'link.broken': 'Destination broken',
  'link.recovered': 'Destination works again',
  'host.added': 'Host added',
  'host.updated': 'Host changed',
  'host.verified': 'Host verified',
  'host.lost': 'Host lost',
  'host.deleted': 'Host deleted',
  'key.created': 'Key created',
  'key.rotated': 'Key rotated',
  'key.revoked': 'Key revoked',
  'passkey.added': 'Passkey added',
  'passkey.deleted': 'Passkey deleted',
  'session.started': 'Signed in',
  'session.ended': 'Signed out',
  'webhook.created': 'Webhook created',
  'webhook.disabled': 'Webhook disabled',
  'webhook.deleted': 'Webhook deleted',
  'account.plan_changed': 'Plan changed',
};

/** What events are about, by the first part of their names. */
export const eventNouns: Record<string, string> = {
  link: 'Links',
  host: 'Hosts',
  key: 'Keys',
  passkey: 'Passkeys',
  session: 'Sessions',
  webhook: 'Webhooks',
  account: 'Account',
};

const keyNames: Record<Scope, string> = { full_access: 'Full Access key', public_links_only: 'Public Links Only key' };

/** Texts of the log of the account. */
export const activity = {
  title: 'Activity',
  log: 'Log',
  filters: 'Filters',
  type: 'Event',
  anyType: 'All events',
  allAbout: (noun: string) => `${noun}: all`,
  link: 'Link',
  linkExample: 'Short link or URL',
  clear: 'Clear filters',
  empty: { title: 'Nothing happened yet', text: 'Changes of links, hosts, keys and the account appear here.' },
  emptyFiltered: {
    title: 'No event matches',
    text: 'Change or clear the filters. Events are kept for some time only.',
  },
  emptySoFar: { title: 'No event matches among the newest', text: 'Older ones may.' },
  older: 'Show older events',
  by: (who: string) => `by ${who}`,
  actors: {
    key: (scope: string | null, hint: string | null, name: string | null) =>
      `the ${name === null ? (keyNames[scope as Scope] ?? 'key') : `key ${name}`} ${hint ?? ''}`.trim(),
    session: 'somebody in the dashboard',
    admin: 'the command line',
    system: 'Waymark',
  },
  keyOf: (scope: Scope) => keyNames[scope],
  history: 'History',
  historyOf: (name: string) => `History of ${name}`,
  nothing: 'nothing',
  yes: 'yes',
  no: 'no',
  changed: 'changed',
  rules: (n: number) => countText(n, 'rule'),
  defaultHost: 'the default host',
  reason: 'Why',
  destination: 'Destination',
  /** Fields that no form has. */
  fields: {
    password: 'Password',
    plan: 'Plan',
  } as Record<string, string>,
};
