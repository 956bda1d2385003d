import { watch } from 'node:fs';
import { join } from 'node:path';
import { ROOT, SERVICE_NAMES } from './layout.ts';
import type { Stack } from './stack.ts';

/** Editors write several files at once, or one file several times. Changes are collected for this long. */
const QUIET_MS = 200;
const STOP_GRACE_MS = 2_000;

/**
 * Restarts a service of a stack that runs from its sources when they change, and all services when a package changes.
 */
export function restartOnChange(stack: Stack, report: (sentence: string) => void): void {
  const restart = async (names: readonly string[]) => {
    try {
      await Promise.all(names.map((name) => stack.processes[name]!.restart(STOP_GRACE_MS)));
      report(`Restarted ${names.join(', ')}.`);
    } catch (error) {
      // The service does not start with the current sources. The next change restarts it again.
      report((error as Error).message);
    }
  };
  for (const name of SERVICE_NAMES) onChange(join(ROOT, 'apps', name, 'src'), () => void restart([name]));
  for (const name of ['contract', 'proto', 'auth', 'service-kit'])
    onChange(join(ROOT, 'packages', name, 'src'), () => void restart(SERVICE_NAMES));
}

function onChange(folder: string, listener: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  watch(folder, { recursive: true }, (_event, file) => {
    if (file === null || !file.endsWith('.ts') || file.endsWith('.test.ts')) return;
    clearTimeout(timer);
    timer = setTimeout(listener, QUIET_MS);
  });
}
