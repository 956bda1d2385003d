import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a running stack leaves in its data folder, for the command line to find it and for others to keep away. */
export interface StackFile {
  /** The port on 127.0.0.1 where the process that runs the stack answers with `id`: proof that it still runs. */
  lock: { port: number; id: string };
  publicUrl: string;
  /** The gRPC address of links-svc. */
  linksGrpc: string;
  /** The processes of the stack. */
  pids: number[];
}

/** The path of the file with {@link StackFile}. */
export function stackFilePath(dataDir: string): string {
  return join(dataDir, 'stack.json');
}

/** What the last stack on the folder left, running or not; null where there is none. */
export function readStackFile(dataDir: string): StackFile | null {
  const text = readIfExists(stackFilePath(dataDir));
  return text === null ? null : (JSON.parse(text) as StackFile);
}

/** Makes the folder for what a stack keeps, readable by its owner only. */
export function makeDataDir(dataDir: string): void {
  mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
}

/** The signing key of the folder, made at the first call; readable by its owner only. */
export function ensureSigningKey(dataDir: string): string {
  const existing = findSigningKey(dataDir);
  if (existing !== null) return existing;
  const key = randomBytes(32).toString('base64url');
  writeFileSync(signingKeyPath(dataDir), `${key}\n`, { mode: 0o600 });
  return key;
}

/** The signing key of the folder, or null where none was made: its stack was given one. */
export function findSigningKey(dataDir: string): string | null {
  return readIfExists(signingKeyPath(dataDir))?.trim() ?? null;
}

function signingKeyPath(dataDir: string): string {
  return join(dataDir, 'signing-key');
}

/** Writes the file with {@link StackFile}, whole or not at all. */
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

/** Takes the file with {@link StackFile} away, where it is of the stack with this id. */
export function removeStackFile(dataDir: string, id: string): void {
  if (readStackFile(dataDir)?.lock.id === id) rmSync(stackFilePath(dataDir), { force: true });
}

/** The text of a file, or null where it does not exist. */
export function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code!)) return null;
    throw error;
  }
}
