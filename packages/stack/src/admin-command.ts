import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './layout.ts';

/**
 * Returns the beginning of the command lines that manage the stack of a data folder (an absolute path). It works in a
 * shell in the root folder of the repository.
 */
export function adminCommand(dataDir: string): string {
  const { packageManager } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { packageManager: string };
  const command = `npx ${packageManager} -s admin`;
  if (dataDir === join(ROOT, '.data')) return command;
  return `DATA_DIR='${dataDir.replaceAll("'", String.raw`'\''`)}' ${command}`;
}
