/** The largest message that a server or client of ours sends or takes. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
