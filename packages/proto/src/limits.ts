/** The default size limit of a message that our clients and servers send or accept. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
