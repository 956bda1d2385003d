import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EMBEDDED_DATABASES, type OwnStack, readClickHouse, startOwnStack } from '../support/own-stack.ts';

// The databases of `start` need protection: every local user and web page can connect to a port.

let own: OwnStack;
let password: string;
beforeAll(async () => {
  own = await startOwnStack(EMBEDDED_DATABASES);
  password = own.stack.clickhouseLogin.CLICKHOUSE_PASSWORD;
});
afterAll(() => own.close());

test('the services of a stack log in to its databases', async () => {
  await own.createLinks(['embedded']);
  await own.analytics();
  expect(await readClickHouse(own, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a client without the password of the stack reads nothing from ClickHouse', async () => {
  const answer = await fetch(own.stack.clickhouseUrl, { method: 'POST', body: 'SHOW DATABASES' });
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringMatching(/^Code: 516\. /)]);
});

test('MongoDB listens on no port, and only the user of the stack reaches its socket and its files', () => {
  const socket = decodeURIComponent(new URL(own.stack.mongodbUrl).hostname);
  expect(own.stack.processes.mongodb!.ports).toEqual({});
  expect(statSync(socket).isSocket()).toBe(true);
  for (const folder of [dirname(socket), join(own.dataDir, 'mongodb')])
    expect(statSync(folder).mode & 0o777, folder).toBe(0o700);
});

test('the password of a stack is new each time, and in no file and on no command line', async () => {
  expect(password).toMatch(/^[\w-]{43}$/);
  const files = readdirSync(own.dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  expect(files.map(({ name }) => name)).toContain('clickhouse.log');
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    expect(readFileSync(path).includes(password), path).toBe(false);
  }
  for (const { name, pid } of Object.values(own.stack.processes)) {
    const commandLine = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
    expect(commandLine, name).toContain('node');
    expect(commandLine.includes(password), name).toBe(false);
  }
});
