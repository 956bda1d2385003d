import { LRUCache } from 'lru-cache';

/** The most addresses that are remembered. */
const ADDRESSES_MAX = 10_000;

export interface BudgetLimits {
  /** How much an address may spend at once. */
  burst: number;
  /** How much it gets back each second. */
  perSecond: number;
}

/** A budget for each address. Beyond 10,000 addresses it forgets the least recently used one. */
export class AddressBudget {
  readonly #limits: BudgetLimits;
  readonly #now: () => number;
  readonly #spent = new LRUCache<string, { amount: number; atMs: number }>({ max: ADDRESSES_MAX });

  constructor(limits: BudgetLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Takes one from the budget of an address. Returns false if nothing is left. */
  acquire(address: string): boolean {
    const amount = this.#spentBy(address) + 1;
    if (amount > this.#limits.burst) return false;
    this.#spent.set(address, { amount, atMs: this.#now() });
    return true;
  }

  refund(address: string, amount: number): void {
    this.#spent.set(address, { amount: Math.max(0, this.#spentBy(address) - amount), atMs: this.#now() });
  }

  #spentBy(address: string): number {
    const spent = this.#spent.get(address);
    if (spent === undefined) return 0;
    return Math.max(0, spent.amount - ((this.#now() - spent.atMs) / 1_000) * this.#limits.perSecond);
  }
}
