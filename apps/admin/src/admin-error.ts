/** Why a command cannot be carried out, in a sentence for the person who gave it. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
