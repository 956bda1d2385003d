import { WaymarkError } from '@waymark/client';
import { shared } from '../texts/shared.ts';

const PROBE_TIMEOUT_MS = 5_000;

/**
 * Returns the error for a request that got no response. After a read, loads this page to find the cause: a content
 * blocker stops some requests, but not the page.
 */
export async function noResponse(method: string): Promise<WaymarkError> {
  return new WaymarkError(0, shared.noResponse[await findCause(method)]);
}

async function findCause(method: string): Promise<keyof typeof shared.noResponse> {
  if (!navigator.onLine) return 'offline';
  if (method !== 'GET') return 'away';
  const page = await readPage();
  if (page === null) return 'away';
  // Names of scripts are hashes. The first script names the others, so its hash changes with each of them.
  const isThisVersion = [...document.scripts].every(({ src }) => page.includes(new URL(src).pathname));
  return isThisVersion ? 'blocked' : 'newVersion';
}

/** Returns true if the server has the page. */
export async function isServerReachable(): Promise<boolean> {
  return (await readPage()) !== null;
}

async function readPage(): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch('/app/', { cache: 'no-store', signal });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

/**
 * Loads a script of the page.
 * @throws {WaymarkError} that says why it does not load.
 */
export async function loadScript<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch {
    throw await noResponse('GET');
  }
}
