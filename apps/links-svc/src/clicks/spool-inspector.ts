import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { clicksOfGroup } from './click-group.ts';
import { DATA_FILE, type EnvironmentStats, openRoot, SpoolEnvironment, spaceOf } from './spool-environment.ts';
import { DAMAGED } from './spool-inspection.ts';
import { type GroupKey, isGroupKey, type SpoolTables } from './spool-tables.ts';

/** More than a new batch may have. */
const FRONT_BYTES = 8 * 1_024 * 1_024;

// A process that reads the LMDB file of a spool, because LMDB does not survive every damage: reading a truncated or garbled
// file can end the process with SIGBUS or SIGSEGV.
//
// `check PATH` reads what the service reads at its start, and the groups that it would send first. `recover FROM TO`
// copies what can be read into a new file, in order, until that fails.
const [task, ...paths] = process.argv.slice(2);
try {
  if (task === 'check') check(paths[0]!);
  if (task === 'recover') recover(paths[0]!, paths[1]!);
  // Without closing the files, which takes a turn of the event loop: all is committed.
  process.exit(0);
} catch (error) {
  const { message, code } = error as Error & { code?: unknown };
  process.stderr.write(message);
  // LMDB's own errors are negative. Those of the operating system say nothing about the file.
  process.exit(typeof code === 'string' || Number(code) > 0 ? 1 : DAMAGED);
}

function check(path: string): void {
  const environment = openWhole(path);
  const { groups, dirty, rejected, unreadable } = environment.tables;
  readState(environment.tables);
  for (const { value } of dirty.getRange())
    if (!Number.isInteger(Number(value))) throw new TypeError('a dirty link has no mark');
  for (const _ of rejected.getKeys());
  const passedOver = new Set(unreadable.getKeys());
  let front = 0;
  for (const key of groups.getKeys()) {
    if (!isGroupKey(key)) throw new TypeError('a group has no key');
    if (front > FRONT_BYTES || passedOver.has(key[0])) continue;
    readValue(groups, key);
    front += key[2];
  }
  environment.readFreePages(FRONT_BYTES);
}

function recover(from: string, to: string): void {
  const source = openWhole(from).tables;
  const target = new SpoolEnvironment(to);
  // First, since clicks of a batch that may have been sent must not be sent under another token.
  const state = readState(source);
  target.add(0, (tables) => {
    for (const { key, value } of state) tables.state.put(key, value);
  });
  for (const key of source.groups.getKeys()) {
    const value = isGroupKey(key) ? readValue(source.groups, key) : undefined;
    if (value !== undefined && clicksOfGroup(key, value) !== null)
      target.add(spaceOf(key[2]), ({ groups }) => groups.put(key, value));
  }
  for (const { key, value } of source.dirty.getRange()) target.add(0, ({ dirty }) => dirty.put(key, value));
  for (const { key, value } of source.rejected.getRange())
    target.add(spaceOf(Buffer.byteLength(value)), ({ rejected }) => rejected.put(key, value));
}

/** The value of a group; undefined if LMDB refuses to read it. */
function readValue(groups: SpoolTables['groups'], key: GroupKey): string | undefined {
  try {
    return groups.get(key);
  } catch {
    return undefined;
  }
}

/** Opens an environment. What is missing at the end of its file is read as zeros instead of ending the process. */
function openWhole(path: string): SpoolEnvironment {
  const file = join(path, DATA_FILE);
  if (statSync(file).size === 0) throw new Error('the file is empty');
  const { lastPageNumber, pageSize } = openRoot(path).getStats() as EnvironmentStats;
  const size = (lastPageNumber + 1) * pageSize;
  // Not always a damage: LMDB does not write a page that it takes and frees in one transaction.
  if (statSync(file).size < size) extend(file, size);
  return new SpoolEnvironment(path);
}

function extend(file: string, size: number): void {
  try {
    truncateSync(file, size);
  } catch (cause) {
    throw new Error(`the file ought to have ${size} bytes`, { cause });
  }
}

function readState({ state }: SpoolTables): { key: string; value: string }[] {
  const entries = [...state.getRange()].map(({ key, value }) => ({ key, value }));
  for (const { value } of entries) JSON.parse(value);
  return entries;
}
