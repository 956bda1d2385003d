import { EVENT_TYPES, type EventType } from '../events/event.ts';

const GROUPS = [...new Set(EVENT_TYPES.map(groupOf))];

/** What `types` of a webhook can name: types of events, and groups of them such as `link.*`. */
export const WEBHOOK_TYPES: readonly string[] = [...EVENT_TYPES, ...GROUPS];

/** The type of the event that a test sends. No event of an account has it. */
export const WEBHOOK_TEST_TYPE = 'webhook.test' as const;

/** Returns the types of events that `types` of a webhook name. */
export function eventTypesOfWebhook(types: readonly string[]): EventType[] {
  return EVENT_TYPES.filter((type) => types.includes(type) || types.includes(groupOf(type)));
}

function groupOf(type: EventType): string {
  return `${type.split('.')[0]}.*`;
}
