import { expect, test } from 'vitest';
import { candidates } from '../src/completion-command.ts';
import { createProgram } from '../src/program.ts';

test.each([
  [['lin'], ['links']],
  [['links', 'ex'], ['export']],
  [['links', 'list', '--vis'], ['--visibility']],
  [
    ['links', 'list', '--visibility', 'p'],
    ['public', 'private', 'password-protected'],
  ],
  [['links', 'import', ''], []],
])('%j is completed to %j', (words, expected) => {
  expect(candidates(createProgram(), words)).toEqual(expected);
});
