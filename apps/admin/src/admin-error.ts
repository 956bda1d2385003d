/** A failure of a command. The message is one sentence for the person who ran it. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
