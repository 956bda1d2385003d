import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ensureSigningKey,
  makeDataDir,
  readStackFile,
  removeStackFile,
  stackFilePath,
  writeStackFile,
} from './data-dir.ts';
import { isRunning, lockDataDir } from './stack-lock.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'stack-data-')), 'inner');
  makeDataDir(dataDir);
});
afterEach(() => rmSync(join(dataDir, '..'), { recursive: true }));

test('the signing key is created once, long enough, and readable by its owner only', () => {
  const key = ensureSigningKey(dataDir);
  expect(key.length).toBeGreaterThanOrEqual(32);
  expect(ensureSigningKey(dataDir)).toBe(key);
  expect(statSync(join(dataDir, 'signing-key')).mode & 0o777).toBe(0o600);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});

test('a second stack in the same folder is refused with a clear message until the first one has stopped', async () => {
  const lock = await lockDataDir(dataDir);
  writeStackFile(dataDir, {
    lock,
    publicUrl: 'http://localhost:8080',
    linksGrpc: '127.0.0.1:1',
    analyticsGrpc: '127.0.0.1:2',
    pids: [],
  });
  expect(statSync(stackFilePath(dataDir)).mode & 0o777).toBe(0o600);
  expect(await isRunning(readStackFile(dataDir)!)).toBe(true);
  await expect(lockDataDir(dataDir)).rejects.toThrow(
    /^Another stack runs on .*\(http:\/\/localhost:8080\); stop it, or set DATA_DIR/,
  );
  await lock.release();
  expect(await isRunning(readStackFile(dataDir)!)).toBe(false);
  await (await lockDataDir(dataDir)).release();
});

test('only the stack that wrote the file removes it', async () => {
  const content = { publicUrl: '', linksGrpc: '', analyticsGrpc: '', pids: [] };
  writeStackFile(dataDir, { lock: { port: 1, id: 'other' }, ...content });
  removeStackFile(dataDir, 'mine');
  expect(readStackFile(dataDir)).not.toBeNull();
  removeStackFile(dataDir, 'other');
  expect(readStackFile(dataDir)).toBeNull();
});
