/** The reason why a stack cannot run, as a sentence for the person who started it. */
export class StackError extends Error {
  override readonly name = 'StackError';
}
