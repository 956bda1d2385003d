import { readItem, writeItem } from '../api/site-data.ts';

/** The jobs that this tab began, with the number of links that its user saw, or null. */
type OwnJobs = Record<string, number | null>;

const KEY = 'waymark.jobs';
const KEPT_MAX = 50;

let own: OwnJobs = readStored();

function readStored(): OwnJobs {
  try {
    return JSON.parse(readItem('sessionStorage', KEY) ?? '{}') as OwnJobs;
  } catch {
    return {};
  }
}

/** Remembers a job that this tab began, also after a reload. `expected` is the number of links that its user saw. */
export function rememberJob(id: string, expected: number | null): void {
  own = Object.fromEntries([...Object.entries(own), [id, expected]].slice(-KEPT_MAX));
  writeItem('sessionStorage', KEY, JSON.stringify(own));
}

/** Returns true if this tab began the job. All others are somebody else's, or those of another tab. */
export function isOwnJob(id: string): boolean {
  return Object.hasOwn(own, id);
}

/** Returns the number of links that the user saw before the job began, or null if it is not known. */
export function expectedOf(id: string): number | null {
  return own[id] ?? null;
}
