import type { EventType, Scope } from '@waymark/contract';
import { eventNames } from './activity.ts';
import { fieldLabels } from './links.ts';
import { numberText } from './locale.ts';

/** The type of what webhooks get of clicks. */
export const CLICKS = 'clicks.recorded';

/** What a webhook is sent: each type of event and each wildcard, by the API's names. */
export const typeNames: Record<string, string> = {
  ...(eventNames satisfies Record<EventType, string>),
  'link.*': 'Everything about links',
  'host.*': 'Everything about hosts',
  'key.*': 'Everything about keys',
  'passkey.*': 'Everything about passkeys',
  'session.*': 'Everything about sessions',
  'webhook.*': 'Everything about webhooks',
  'account.*': 'Everything about the account',
  [CLICKS]: 'Clicks',
  'clicks.*': 'Clicks',
  'webhook.test': 'Test',
};

/** Texts of the webhooks. */
export const webhooks = {
  title: 'Webhooks',
  intro: 'A webhook sends what happens to a server of yours, signed, as Standard Webhooks describes it.',
  ownersOnly: 'Only owners of the account manage webhooks.',
  add: 'Add a webhook',
  empty: {
    title: 'No webhooks yet',
    text: 'A webhook sends what happens to a server of yours within seconds.',
  },
  states: { enabled: 'Enabled', disabled: 'Disabled' },
  disabled: (reason: string) => `It was disabled. ${reason}`,
  failing: (since: string) => `Every delivery has failed since ${since}.`,
  links: (scope: Scope, hashtag: string | null) =>
    `${scope === 'full_access' ? 'All links' : 'Public and unlisted links only'}${hashtag === null ? '' : `, with #${hashtag}`}`,
  test: {
    action: 'Send a test',
    of: (url: string) => `Send a test to ${url}`,
    done: 'A test is on its way.',
  },
  deliveries: {
    action: 'Deliveries',
    of: (url: string) => `Deliveries to ${url}`,
    none: 'Nothing was sent yet.',
    text: 'The last 100 attempts, newest first. What fails is tried again, after longer and longer pauses.',
    noResponse: 'No response',
    facts: (when: string, attempt: number, ms: number) =>
      `${when}, attempt ${numberText(attempt)}, took ${numberText(ms)} ms`,
    replay: 'Replay…',
    replayOf: (what: string, when: string) => `Replay… after ${what}, ${when}`,
  },
  replay: {
    title: 'Send again what followed?',
    text: 'Every event after this one is sent again, with the same ids as before. The receiver must ignore those that it has.',
    action: 'Send them again',
    done: 'The events are on their way.',
  },
  edit: {
    action: 'Edit…',
    of: (url: string) => `Edit… ${url}`,
    title: 'Edit the webhook',
    save: 'Save',
    saved: 'The webhook is saved.',
  },
  enable: {
    action: 'Enable',
    of: (url: string) => `Enable ${url}`,
    done: 'The webhook is enabled.',
  },
  disable: {
    action: 'Disable',
    of: (url: string) => `Disable ${url}`,
    done: 'The webhook is disabled.',
  },
  rotate: {
    action: 'New secret…',
    of: (url: string) => `New secret… ${url}`,
    title: 'Create a new secret?',
    text: 'For 24 hours, both secrets sign what is sent. Give the receiver the new one until then.',
    confirm: 'Create the secret',
    uncertain: 'A secret that was made cannot be shown: create another one.',
  },
  delete: {
    action: 'Delete…',
    of: (url: string) => `Delete… ${url}`,
    title: 'Delete the webhook?',
    text: 'Nothing is sent any more, also what was not delivered yet. This cannot be undone.',
    confirm: 'Delete the webhook',
    done: 'The webhook is deleted.',
  },
  form: {
    urlHint: 'An address with https:// that takes a POST.',
    scope: 'Links',
    scopes: { full_access: 'All links', public_links_only: 'Public and unlisted links only' },
    scopeHints: {
      full_access: 'Also private and password-protected links, and what is not about links.',
      public_links_only: 'As the Public Links Only key sees them, without who did it. Nothing that is not about links.',
    },
    types: fieldLabels.types!,
    clicksHint: 'Each counted click: time, country, device and source.',
    url: fieldLabels.url!,
    hashtag: fieldLabels.hashtag!,
    hashtagHint: 'Only links with this hashtag. Leave it empty for all of them.',
    action: 'Create the webhook',
    uncertain: 'If the webhook is in the list, create a new secret for it: the first one cannot be shown.',
  },
  secret: {
    title: 'The secret of your webhook',
    text: 'Copy it now. It is not shown again. The receiver needs it to check that a request comes from here.',
    copy: 'Copy the secret',
    copied: 'The secret is copied.',
    done: 'I have copied it',
    leave: {
      title: 'Close without copying the secret?',
      text: 'It is not shown again. Without it, you need to create another one.',
      action: 'Close',
      stay: 'Back to the secret',
    },
  },
};
