import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The content of the file that a running stack keeps in its data folder. The command line finds the stack by it, and
 * other stacks stay away.
 */
export interface StackFile {
  /**
   * The port on 127.0.0.1 where the process that runs the stack responds with `id`, which proves that it still runs.
   */
  lock: { port: number; id: string };
  publicUrl: string;
  /** The gRPC address of links-svc. */
  linksGrpc: string;
  /** The gRPC address of analytics-svc. */
  analyticsGrpc: string;
  /** The processes of the stack. */
  pids: number[];
}

/** Returns the path of the file with {@link StackFile}. */
export function stackFilePath(dataDir: string): string {
  return join(dataDir, 'stack.json');
}

/** Returns what the last stack on the folder wrote, whether it still runs or not, or null if there is no file. */
export function readStackFile(dataDir: string): StackFile | null {
  const text = readIfExists(stackFilePath(dataDir));
  return text === null ? null : (JSON.parse(text) as StackFile);
}

/** Creates the data folder of a stack, readable by its owner only. */
export function makeDataDir(dataDir: string): void {
  mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
}

/** Returns the signing key of the folder, and creates it on the first call. It is readable by its owner only. */
export function ensureSigningKey(dataDir: string): string {
  const existing = findSigningKey(dataDir);
  if (existing !== null) return existing;
  const key = randomBytes(32).toString('base64url');
  writeFileSync(signingKeyPath(dataDir), `${key}\n`, { mode: 0o600 });
  return key;
}

/** Returns the signing key of the folder, or null if none was created because the stack was given one. */
export function findSigningKey(dataDir: string): string | null {
  return readIfExists(signingKeyPath(dataDir))?.trim() ?? null;
}

function signingKeyPath(dataDir: string): string {
  return join(dataDir, 'signing-key');
}

/** Writes the file with {@link StackFile} atomically. */
export function writeStackFile(dataDir: string, content: StackFile): void {
  const path = stackFilePath(dataDir);
  writeFileSync(
    `${path}.new`,
    `${JSON.stringify(content, null, 2)}
`,
    { mode: 0o600 },
  );
  renameSync(`${path}.new`, path);
}

/** Removes the file with {@link StackFile} if it belongs to the stack with this id. */
export function removeStackFile(dataDir: string, id: string): void {
  if (readStackFile(dataDir)?.lock.id === id) rmSync(stackFilePath(dataDir), { force: true });
}

/** Returns the text of a file, or null if it does not exist. */
export function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code!)) return null;
    throw error;
  }
}
