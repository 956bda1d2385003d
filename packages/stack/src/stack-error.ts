/** Why a stack cannot run, in a sentence for the person who started it. */
export class StackError extends Error {
  override readonly name = 'StackError';
}
