import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError, EXIT } from './cli-error.ts';

/** Which server to use, and as whom. */
export interface Connection {
  url: string;
  key: string;
}

const HOW = 'run "waymark login --url https://…", or set WAYMARK_URL and WAYMARK_KEY';

/**
 * Returns the connection of WAYMARK_URL and WAYMARK_KEY, or that of `waymark login`.
 * @throws {CliError} if neither is there.
 */
export async function readConnection(): Promise<Connection> {
  const { WAYMARK_URL: url, WAYMARK_KEY: key } = process.env;
  if (url && key) return { url: checkedUrl(url), key };
  const stored = await readStored();
  // A stored key is for its own server.
  if (url && stored?.url !== checkedUrl(url))
    throw new CliError('WAYMARK_URL is set, so set WAYMARK_KEY too.', EXIT.key);
  if (stored === null) throw new CliError(`No key: ${HOW}.`, EXIT.key);
  return { url: stored.url, key: key || stored.key };
}

/** Stores the connection in a file that only its owner can read, and returns the path of the file. */
export async function storeConnection(connection: Connection): Promise<string> {
  const path = storedPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${process.pid}`;
  await writeFile(part, `${JSON.stringify(connection)}\n`, { mode: 0o600 });
  await rename(part, path);
  return path;
}

/**
 * Returns the base URL of an API without a trailing slash.
 * @throws {CliError} if it is not a base URL.
 */
export function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.pathname !== '/' ||
    url.search !== ''
  )
    throw new CliError(`${JSON.stringify(text)} is not an address such as https://go.example.`, EXIT.usage);
  return url.origin;
}

async function readStored(): Promise<Connection | null> {
  const path = storedPath();
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Connection;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new CliError(`Cannot read ${path}: ${(error as Error).message}; ${HOW}.`, EXIT.key);
  }
}

function storedPath(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const folder = XDG_CONFIG_HOME || (process.platform === 'win32' && APPDATA) || join(homedir(), '.config');
  return join(folder, 'waymark', 'connection.json');
}
