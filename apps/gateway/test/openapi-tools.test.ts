import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument } from '@waymark/contract';
import { afterAll, expect, test } from 'vitest';

// Checks the document with other projects' tools. `npm install --global @stoplight/spectral-cli` and
// `go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@latest` install them.

const folder = mkdtempSync(join(tmpdir(), 'waymark-openapi-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'openapi.json');
writeFileSync(path, JSON.stringify(openApiDocument('https://go.example')));

const run = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: 'utf8', cwd: folder });
const has = (command: string) => run(command, '--version').error === undefined;

test('Spectral finds no problems', { timeout: 60_000 }, ({ skip }) => {
  skip(!has('spectral'), 'spectral is not installed');
  writeFileSync(join(folder, 'ruleset.yaml'), 'extends: ["spectral:oas"]\n');
  const { status, stdout } = run('spectral', 'lint', '--ruleset', 'ruleset.yaml', '--fail-severity', 'hint', path);
  expect(stdout).toContain('No results');
  expect(status).toBe(0);
});

test('oapi-codegen generates Go types with every field of a link', { timeout: 60_000 }, ({ skip }) => {
  skip(!has('oapi-codegen'), 'oapi-codegen is not installed');
  const { status, stdout, stderr } = run('oapi-codegen', '-generate', 'types,client', '-package', 'api', path);
  expect([status, stderr]).toEqual([0, '']);
  const link = /type Link struct \{[\s\S]*?\n\}/.exec(stdout)![0];
  expect(link).toMatch(/\bId string +`json:"id"`/);
  expect(link).toMatch(/\bClicks int +`json:"clicks"`/);
  expect(link).not.toContain('omitempty');
});
