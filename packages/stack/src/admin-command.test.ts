import { join } from 'node:path';
import { expect, test } from 'vitest';
import { adminCommand } from './admin-command.ts';
import { ROOT } from './layout.ts';

test('names the data folder, unless it is the one that the command line finds by itself', () => {
  expect(adminCommand(join(ROOT, '.data'))).toMatch(/^npx pnpm@\d+\.\d+\.\d+ -s admin$/);
  expect(adminCommand("/it's here")).toMatch(/^DATA_DIR='\/it'\\''s here' npx pnpm@\S+ -s admin$/);
});
