import type { Change } from './change.ts';

/** A change that waits for its transaction, or is part of one. */
export interface WaitingChange {
  change: Change<unknown>;
  /** Ends the wait. */
  timer: NodeJS.Timeout;
  /** True once its time has run out. It is then not repeated. */
  isOver: boolean;
  /** How often its transaction came second. */
  tries: number;
  /** True if its transaction failed for a reason of one change: it then gets one of its own. */
  isSuspect: boolean;
  /** Why its last transaction failed. */
  cause?: unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The bounds of one transaction. */
const OPERATIONS_MAX = 200;
const ACCOUNTS_MAX = 16;
const BYTES_MAX = 4 * 1_024 * 1_024;
/** The bounds of what may wait, for one account and for all. */
const WAITING_OF_ACCOUNT = { operations: 5_000, bytes: 16 * 1_024 * 1_024 };
const WAITING_OF_ALL = { operations: 20_000, bytes: 64 * 1_024 * 1_024 };

/** The kinds of groups that may start: of accounts that share a transaction, and of one account. */
export interface Allowed {
  shared: boolean;
  alone: boolean;
}

export interface Group {
  changes: WaitingChange[];
  accountIds: string[];
  /** True if it is the group of an account that shares no transaction. */
  isAlone: boolean;
}

type Entry = [accountId: string, changes: WaitingChange[]];

/**
 * The changes that wait, in the order of each account. Accounts have their turns one after the other. An account that is
 * set aside, for a transaction or a pause, has none.
 */
export class WaitingChanges {
  /** The account whose turn is next comes first. */
  readonly #waiting = new Map<string, WaitingChange[]>();
  readonly #load = new Map<string, { operations: number; bytes: number }>();
  readonly #loadOfAll = { operations: 0, bytes: 0 };
  readonly #aside = new Set<string>();

  /** Returns the number of operations that wait. */
  get operations(): number {
    return this.#loadOfAll.operations;
  }

  /** Returns true if nothing waits and no account is set aside. */
  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#aside.size === 0;
  }

  /** Returns true if the change is too much for what waits. */
  isFull({ accountId, size, bytes }: Change<unknown>): boolean {
    const exceeds = (load: { operations: number; bytes: number }, max: typeof load) =>
      load.operations > 0 && (load.operations + size > max.operations || load.bytes + bytes > max.bytes);
    const ofAccount = this.#load.get(accountId) ?? { operations: 0, bytes: 0 };
    return exceeds(ofAccount, WAITING_OF_ACCOUNT) || exceeds(this.#loadOfAll, WAITING_OF_ALL);
  }

  /** Adds a change after the others of its account. */
  add(one: WaitingChange): void {
    this.#of(one).push(one);
    this.#addLoad(one.change, 1);
  }

  /** Adds changes that were taken before the others of their accounts. */
  putBack(changes: readonly WaitingChange[]): void {
    for (const one of changes.toReversed()) {
      this.#of(one).unshift(one);
      this.#addLoad(one.change, 1);
    }
  }

  /** Removes a change. Returns false if it does not wait. */
  remove(one: WaitingChange): boolean {
    const { accountId } = one.change;
    const ofAccount = this.#waiting.get(accountId) ?? [];
    const position = ofAccount.indexOf(one);
    if (position < 0) return false;
    ofAccount.splice(position, 1);
    if (ofAccount.length === 0) this.#waiting.delete(accountId);
    this.#addLoad(one.change, -1);
    return true;
  }

  /**
   * Takes the changes of the next transaction, one of each account in turn, and sets their accounts aside. Returns null if
   * none may start. `isAlone` tells which accounts share no transaction.
   */
  take(allowed: Allowed, isAlone: (accountId: string) => boolean): Group | null {
    const entries: Entry[] = [];
    for (const entry of this.#waiting) {
      const [accountId, [first]] = entry;
      if (this.#aside.has(accountId)) continue;
      if (!isAlone(accountId) && !first!.isSuspect) {
        if (allowed.shared && entries.push(entry) === ACCOUNTS_MAX) break;
      } else if (allowed.alone && entries.length === 0)
        return this.#taken([entry], first!.isSuspect ? [first!] : inTurns([entry]), true);
    }
    return entries.length === 0 ? null : this.#taken(entries, inTurns(entries), false);
  }

  /** Gives accounts their turns again. */
  release(accountIds: readonly string[]): void {
    for (const id of accountIds) this.#aside.delete(id);
  }

  #taken(entries: readonly Entry[], changes: WaitingChange[], isAlone: boolean): Group {
    for (const one of changes) this.remove(one);
    // The others have their turn first.
    for (const [accountId, rest] of entries)
      if (this.#waiting.delete(accountId) && rest.length > 0) this.#waiting.set(accountId, rest);
    const accountIds = [...new Set(changes.map(({ change }) => change.accountId))];
    for (const id of accountIds) this.#aside.add(id);
    return { changes, accountIds, isAlone };
  }

  #of({ change: { accountId } }: WaitingChange): WaitingChange[] {
    const ofAccount = this.#waiting.get(accountId) ?? [];
    this.#waiting.set(accountId, ofAccount);
    return ofAccount;
  }

  #addLoad({ accountId, size, bytes }: Change<unknown>, sign: 1 | -1): void {
    const ofAccount = this.#load.get(accountId) ?? { operations: 0, bytes: 0 };
    this.#load.set(accountId, ofAccount);
    for (const load of [ofAccount, this.#loadOfAll]) {
      load.operations += sign * size;
      load.bytes += sign * bytes;
    }
    if (ofAccount.operations === 0) this.#load.delete(accountId);
  }
}

/** Returns changes of these accounts, one of each in turn, as many as fit into a transaction. */
function inTurns(entries: readonly Entry[]): WaitingChange[] {
  const group: WaitingChange[] = [];
  let operations = 0;
  let bytes = 0;
  for (let turn = 0; entries.some(([, waiting]) => turn < waiting.length); turn++) {
    for (const [, waiting] of entries) {
      const next = waiting[turn];
      if (next === undefined) continue;
      const { change } = next;
      if (group.length > 0 && (operations + change.size > OPERATIONS_MAX || bytes + change.bytes > BYTES_MAX))
        return group;
      group.push(next);
      operations += change.size;
      bytes += change.bytes;
    }
  }
  return group;
}
