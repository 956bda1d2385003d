import { limitedAddress, type Taken, type WindowCounter } from '@waymark/service-kit';

/** One try, counted before its password is checked. */
export interface PasswordTry {
  /** 0, or, when none was left, the seconds until there is one again. */
  waitSeconds: number;
  /** Gives the try back: it was no wrong one. */
  giveBack(): void;
}

const UNLIMITED: PasswordTry = { waitSeconds: 0, giveBack: () => undefined };

/**
 * Counts wrong passwords for each link and address: at most `perMinute` within a minute that begins with the first
 * (0 turns the limit off). A try is counted before it is checked and given back when it was right, so that many at
 * once get no further than many in a row.
 */
export class PasswordTries {
  readonly #perMinute: number;
  readonly #counter: WindowCounter;

  constructor(perMinute: number, counter: WindowCounter) {
    this.#perMinute = perMinute;
    this.#counter = counter;
  }

  /** Takes one try, if there is one left. A promise only where the counter is asked over the network. */
  take(linkId: string, address: string): PasswordTry | Promise<PasswordTry> {
    if (this.#perMinute === 0) return UNLIMITED;
    const pair = `${linkId} ${limitedAddress(address)}`;
    const tryOf = (taken: Taken): PasswordTry => ({
      waitSeconds: taken.counted ? 0 : taken.resetSeconds,
      giveBack: () => this.#counter.giveBack(pair, taken),
    });
    const taken = this.#counter.take(pair, this.#perMinute);
    return taken instanceof Promise ? taken.then(tryOf) : tryOf(taken);
  }
}
