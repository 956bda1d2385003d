import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type HttpTarget, httpTarget } from '../http-target.ts';

/** The floors; each is a file of this folder and runs as its own process. */
export type FloorName = 'redirect' | 'mongodb' | 'mcp' | 'clickhouse';

/** A running floor. */
export interface FloorProcess {
  pid: number;
  target: HttpTarget;
  close(): Promise<void>;
}

/**
 * Starts a floor with additional environment variables.
 * @throws if it exits before it listens.
 */
export async function startFloor(name: FloorName, env: Record<string, string>): Promise<FloorProcess> {
  const child = spawn(process.execPath, [new URL(`./${name}.ts`, import.meta.url).pathname], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const [port] = await Promise.race([
    once(child, 'message') as Promise<[number]>,
    exited.then(() => Promise.reject(new Error(`the floor "${name}" ended before it listened`))),
  ]);
  const target = httpTarget(`http://127.0.0.1:${port}`);
  return {
    pid: child.pid!,
    target,
    async close() {
      await target.close();
      child.kill();
      await exited;
    },
  };
}
