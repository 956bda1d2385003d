export const SIGN_IN_LINK_LIFETIME_MS = 15 * 60_000;
/** How long a session lasts from its last use. */
export const SESSION_IDLE_MS = 12 * 3_600_000;
/** How long a session lasts in all. */
export const SESSION_LIFETIME_MS = 7 * 24 * 3_600_000;
