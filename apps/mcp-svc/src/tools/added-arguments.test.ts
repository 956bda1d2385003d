import { expect, test } from 'vitest';
import { withoutAddedArguments } from './added-arguments.ts';

test('an argument that the tool has is not one that a client added', () => {
  const args = { action: 'archive', sessionId: 'x', unknown: 1 };
  expect(withoutAddedArguments(args, ['action', 'id'])).toEqual({ action: 'archive', unknown: 1 });
  expect(withoutAddedArguments(args, [])).toEqual({ unknown: 1 });
});
