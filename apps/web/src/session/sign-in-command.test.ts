import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { session } from '../texts/session.ts';

test('the sign-in page has the command of the documentation', () => {
  const documentation = readFileSync(new URL('../../../../docs/dashboard.md', import.meta.url), 'utf8');
  expect(documentation).toContain(`\n${session.signedOut.command}\n`);
});
