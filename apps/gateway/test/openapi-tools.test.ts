import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument } from '@waymark/contract';
import { afterAll, expect, test } from 'vitest';

// Checks the document with another project's tool, which `npm install --global @stoplight/spectral-cli` installs.
// e2e/contract/generated-clients.test.ts has the generators.

const folder = mkdtempSync(join(tmpdir(), 'waymark-openapi-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'openapi.json');
writeFileSync(path, JSON.stringify(openApiDocument('https://go.example')));

const run = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: 'utf8', cwd: folder });
const has = (command: string) => run(command, '--version').error === undefined;

test('Spectral finds no problems', ({ skip }) => {
  skip(!has('spectral'), 'spectral is not installed');
  writeFileSync(join(folder, 'ruleset.yaml'), 'extends: ["spectral:oas"]\n');
  const { status, stdout } = run('spectral', 'lint', '--ruleset', 'ruleset.yaml', '--fail-severity', 'hint', path);
  expect(stdout).toContain('No results');
  expect(status).toBe(0);
});
