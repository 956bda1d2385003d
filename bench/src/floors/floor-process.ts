import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type HttpTarget, httpTarget } from '../http-target.ts';

/** The floors, each a file of this folder that is a process of its own. */
export type FloorName = 'redirect' | 'mongodb' | 'mcp' | 'clickhouse';

/** A floor that runs. */
export interface FloorProcess {
  pid: number;
  target: HttpTarget;
  close(): Promise<void>;
}

/** Starts a floor with environment variables of its own. @throws where it ends before it listens. */
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
