import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { clicksOfGroup } from './click-group.ts';
import { DATA_FILE, type EnvironmentStats, openRoot, SpoolEnvironment, spaceOf } from './spool-environment.ts';
import { DAMAGED } from './spool-inspection.ts';
import { type GroupKey, isGroupKey, type SpoolTables } from './spool-tables.ts';

/** Larger than any new batch. */
const FRONT_BYTES = 8 * 1_024 * 1_024;

// The process that reads the LMDB file of a spool. LMDB does not survive every kind of damage: reading a truncated or
// garbled file can end the process with SIGBUS or SIGSEGV.
//
// `check PATH` reads what the service reads at its start, and the groups that it would send first. `recover FROM TO`
// copies the readable data to a new file, in order, until reading fails.
const [task, ...paths] = process.argv.slice(2);
try {
  if (task === 'check') check(paths[0]!);
  if (task === 'recover') recover(paths[0]!, paths[1]!);
  // Exits without closing the files, which would take a turn of the event loop. Everything is committed.
  process.exit(0);
} catch (error) {
  const { message, code } = error as Error & { code?: unknown };
  process.stderr.write(message);
  // LMDB's own errors have negative codes. Errors of the operating system say nothing about the file.
  process.exit(typeof code === 'string' || Number(code) > 0 ? 1 : DAMAGED);
}

function check(path: string): void {
  const environment = openWhole(path);
  const { groups, dirty, rejected, unreadable } = environment.tables;
  readState(environment.tables);
  for (const { value } of dirty.getRange())
    if (!Number.isInteger(Number(value))) throw new TypeError('a dirty link without a mark');
  for (const _ of rejected.getKeys());
  const skipped = new Set(unreadable.getKeys());
  let front = 0;
  for (const key of groups.getKeys()) {
    if (!isGroupKey(key)) throw new TypeError('a group without a key');
    if (front > FRONT_BYTES || skipped.has(key[0])) continue;
    readValue(groups, key);
    front += key[2];
  }
  environment.readFreePages(FRONT_BYTES);
}

function recover(from: string, to: string): void {
  const source = openWhole(from).tables;
  const target = new SpoolEnvironment(to);
  // The state is copied first: clicks of a batch that may have been sent must keep the token of that batch.
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

/** Returns the value of a group, or undefined if LMDB cannot read it. */
function readValue(groups: SpoolTables['groups'], key: GroupKey): string | undefined {
  try {
    return groups.get(key);
  } catch {
    return undefined;
  }
}

/** Opens an environment. Extends a truncated file with zeros, since reading beyond its end would end the process. */
function openWhole(path: string): SpoolEnvironment {
  const file = join(path, DATA_FILE);
  if (statSync(file).size === 0) throw new Error('the file is empty');
  const { lastPageNumber, pageSize } = openRoot(path).getStats() as EnvironmentStats;
  const size = (lastPageNumber + 1) * pageSize;
  // A short file is not always damaged: LMDB does not write a page that one transaction allocates and frees.
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
