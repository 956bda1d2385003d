import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFreePorts } from '../src/ports.ts';
import { startStack } from '../src/stack.ts';
import { StackError } from '../src/stack-error.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'stack-start-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

test('a taken port gives one clear sentence, and nothing remains', async () => {
  const [port] = await findFreePorts(1, '127.0.0.1');
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  for (let time = 1; time <= 2; time++) {
    const error = await startStack({ dataDir, gatewayPort: port! }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StackError);
    expect((error as Error).message).toBe(
      `Port ${port} of 127.0.0.1 is taken or may not be used; set GATEWAY_PORT to another one.`,
    );
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);
  }
  await new Promise((resolve) => other.close(resolve));
});
