import { EVENT_TYPES, type EventType } from '../events/event.ts';

/** The type of what webhooks get of clicks. */
export const CLICKS_TYPE = 'clicks.recorded' as const;
const GROUPS = [...new Set([...EVENT_TYPES, CLICKS_TYPE].map(groupOf))];

/** What `types` of a webhook can name: types of events, and groups of them such as `link.*`. */
export const WEBHOOK_TYPES: readonly string[] = [...EVENT_TYPES, CLICKS_TYPE, ...GROUPS];

/** The type of the event that a test sends. No event of an account has it. */
export const WEBHOOK_TEST_TYPE = 'webhook.test' as const;

/** Returns the types of events that `types` of a webhook name. */
export function eventTypesOfWebhook(types: readonly string[]): EventType[] {
  return EVENT_TYPES.filter((type) => types.includes(type) || types.includes(groupOf(type)));
}

/** Returns true if `types` of a webhook name clicks. */
export function wantsClicks(types: readonly string[]): boolean {
  return types.includes(CLICKS_TYPE) || types.includes(groupOf(CLICKS_TYPE));
}

function groupOf(type: string): string {
  return `${type.split('.')[0]}.*`;
}
