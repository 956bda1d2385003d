import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobList } from '@waymark/contract';
import { expect, test } from 'vitest';
import { api, request, stack } from '../support/world.ts';

// README.md, Use it: accounts.

const main = join(import.meta.dirname, '../../apps/admin/dist/main.js');

function admin(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    timeout: 20_000,
    env: {
      PATH: process.env.PATH,
      LINKS_GRPC: stack.linksGrpc,
      SIGNING_KEY: stack.signingKey,
      DATA_DIR: '/nonexistent',
    },
  });
}

test('account create prints username, plan and both keys once, and the keys work', async () => {
  const username = `cli${Date.now().toString(36)}`;
  const made = admin('account', 'create', '--username', username, '--plan', 'developer', '--json');
  expect(made.status, made.stderr).toBe(0);
  const account = JSON.parse(made.stdout) as { keys: { live: string; public: string } };
  expect(account).toEqual({
    username,
    plan: 'developer',
    keys: {
      live: expect.stringMatching(/^key_live_[0-9A-Za-z]{32,}$/),
      public: expect.stringMatching(/^key_pub_[0-9A-Za-z]{32,}$/),
    },
  });
  expect((await api(account.keys.live).me()).body).toEqual({ username, plan: 'developer', key_scope: 'full_access' });

  const shown = admin('account', 'show', '--username', username, '--json');
  expect(shown.stdout).not.toMatch(/key_live_|key_pub_/);
  expect(JSON.parse(shown.stdout)).toMatchObject({ username, plan: 'developer' });
  expect(admin('account', 'list', '--json').stdout).toContain(username);

  expect(admin('account', 'set-plan', '--username', username, '--plan', 'business').status).toBe(0);
  const rotated = admin('key', 'rotate', '--username', username, '--scope', 'live', '--json');
  expect(rotated.status, rotated.stderr).toBe(0);
  const key = /key_live_[0-9A-Za-z]{32,}/.exec(rotated.stdout)![0];
  expect((await api(key).me()).body).toMatchObject({ plan: 'business' });
  expect(admin('key', 'revoke', '--username', username, '--scope', 'public').status).toBe(0);
  expect(admin('account', 'delete', '--username', username, '--yes').status).toBe(0);
  expect(admin('account', 'show', '--username', username).status).toBe(1);
});

test('links import makes the links of a file by a job, which the account sees', async () => {
  const username = `cli${Date.now().toString(36)}`;
  const made = admin('account', 'create', '--username', username, '--plan', 'developer', '--json');
  const { live } = (JSON.parse(made.stdout) as { keys: { live: string } }).keys;
  const file = join(tmpdir(), `${username}.csv`);
  writeFileSync(file, `slug,destination_url\n${username},https://example.com/a\n,https://example.com/b\n,nowhere\n`);
  try {
    for (const [created, existing] of [
      [2, 0],
      [0, 2],
    ]) {
      const { status, stdout, stderr } = admin('links', 'import', '--username', username, '--file', file, '--json');
      const [refused, totals] = stdout.split('\n').map((line) => line && JSON.parse(line));
      expect([status, stderr]).toEqual([1, '']);
      expect(refused).toEqual({ line: 4, error: expect.stringContaining('"destination_url"') });
      expect(totals).toEqual({ rows: 3, created, existing, refused: 1 });
    }
  } finally {
    rmSync(file);
  }
  const { body } = await request<JobList>('/api/v1/jobs', { key: live });
  expect(body.jobs).toMatchObject([
    { kind: 'import', state: 'done', unchanged: 2 },
    { kind: 'import', state: 'done', created: 2 },
  ]);
  expect(admin('account', 'delete', '--username', username, '--yes').status).toBe(0);
});

test('a mistake is one clear sentence and exit code 1', () => {
  for (const args of [
    ['account', 'create', '--username', 'x y', '--plan', 'developer'],
    ['account', 'create', '--username', 'someone', '--plan', 'gold'],
    ['account', 'show', '--username', 'nobody-at-all'],
    ['key', 'rotate', '--username', 'nobody-at-all', '--scope', 'live'],
    ['key', 'rotate', '--username', 'nobody-at-all', '--scope', 'everything'],
  ]) {
    const answer = admin(...args);
    expect(answer.status, args.join(' ')).toBe(1);
    expect(answer.stderr.trim().split('\n').length, answer.stderr).toBeLessThanOrEqual(2);
    expect(answer.stderr).not.toMatch(/at .*\.js:\d+/);
  }
});
