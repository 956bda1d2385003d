/** Arguments that n8n and Cline add to every call. Neither a model nor a person who uses these clients can omit them. */
const ADDED_BY_CLIENTS: readonly string[] = ['toolCallId', 'sessionId', 'action', 'chatInput', 'task_progress'];

/**
 * Returns the arguments without those that clients add to every call, unless the tool has an argument of that name. Any
 * other unknown argument stays, to be refused: a model must learn that a name is wrong.
 */
export function withoutAddedArguments(
  args: Record<string, unknown>,
  known: readonly string[],
): Record<string, unknown> {
  const isAdded = (name: string) => ADDED_BY_CLIENTS.includes(name) && !known.includes(name);
  return Object.fromEntries(Object.entries(args).filter(([name]) => !isAdded(name)));
}
