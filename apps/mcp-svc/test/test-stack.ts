import { afterEach } from 'vitest';
import { type Stack, startStack } from './stack.ts';

const open: Stack[] = [];

/** Starts a stack as {@link startStack} does, and closes it after the test. */
export async function startTestStack(...args: Parameters<typeof startStack>): Promise<Stack> {
  const stack = await startStack(...args);
  open.push(stack);
  return stack;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((stack) => stack.close()));
});
