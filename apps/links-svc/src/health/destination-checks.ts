import type { Logger } from '@waymark/service-kit';
import { untilAborted } from '@waymark/service-kit/until-aborted';
import type { CheckedHostDocument, CheckStep, DestinationDocument } from '../database/documents/destination.ts';
import type { Answer } from './destination-client.ts';
import { type DestinationsStore, hostToAsk } from './destinations.store.ts';
import { afterCheck, type Finding, findingOf } from './health.ts';

export interface DestinationChecksDeps {
  destinations: DestinationsStore;
  /** Sends the request of a step (`DestinationClient`). Rejects if it cannot say anything. */
  ask(step: CheckStep): Promise<Answer>;
  /** The time between two checks of a destination. */
  everyMs: number;
  /** The clock, in milliseconds. */
  now(): number;
  logger: Logger;
}

/** The pause between two requests to a host. */
export const HOST_PAUSE_MS = 10_000;
/** Longer than a request takes. If the process ends meanwhile, the host has its next turn then. */
const TURN_MAX_MS = 30_000;
const MAX_REDIRECTS = 3;
const URL_MAX_LENGTH = 2_048;
const HOSTS_AT_A_TIME = 100;
/** How many hosts are asked concurrently. */
const CONCURRENCY = 16;
/** When a check goes on that could not be done. */
const AGAIN_AFTER_MS = 3_600_000;
/** How long a host is remembered that has no destination any more, so that a new one does not get its turn too early. */
const FORGET_HOST_AFTER_MS = 86_400_000;

/**
 * The checks of destinations. Each turn of a host is one request: a check is a sequence of them, kept in the database, so
 * that it survives this process and no host waits for another one (ADR 70).
 */
export class DestinationChecks {
  readonly #deps: DestinationChecksDeps;

  constructor(deps: DestinationChecksDeps) {
    this.#deps = deps;
  }

  /** Gives each host that is due its turn, until none is or `ending` aborts. Rejects in an outage. */
  async run(ending: AbortSignal): Promise<void> {
    const { destinations, now } = this.#deps;
    while (!ending.aborted) {
      const due = await destinations.dueHosts(new Date(now()), HOSTS_AT_A_TIME);
      if (due.length === 0) return;
      const takeTurns = async () => {
        for (let host = due.shift(); host !== undefined && !ending.aborted; host = due.shift())
          await this.#takeTurn(host, ending);
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, takeTurns));
    }
  }

  async #takeTurn(host: CheckedHostDocument, ending: AbortSignal): Promise<void> {
    const { destinations, now } = this.#deps;
    const atMs = now();
    const first = await destinations.firstOn(host._id);
    if (first === null) return destinations.forgetHost(host);
    if (!(await destinations.takeTurn(host, new Date(atMs + TURN_MAX_MS)))) return;
    if (first.check_at.getTime() <= atMs) await this.#check(first, ending);
    const next = await destinations.firstOn(host._id);
    const freeMs = now() + HOST_PAUSE_MS;
    const dueMs = next?.check_at.getTime() ?? freeMs + FORGET_HOST_AFTER_MS;
    await destinations.endTurn(host._id, { due_at: new Date(Math.max(dueMs, freeMs)), free_at: new Date(freeMs) });
  }

  /** Sends the next request of the check of a destination. */
  async #check(destination: DestinationDocument, ending: AbortSignal): Promise<void> {
    const { destinations, ask, now, everyMs, logger } = this.#deps;
    const { _id, url } = destination;
    const step: CheckStep = destination.step ?? { url, method: 'HEAD', redirects: 0 };
    let answer: Answer;
    try {
      answer = await untilAborted(ask(step), ending);
    } catch (err) {
      // The step is done again by whoever is next.
      if (ending.aborted) return;
      logger.warn({ err, host: destination.host }, 'a destination could not be checked; trying again later');
      return destinations.postpone(_id, new Date(now() + AGAIN_AFTER_MS));
    }
    const next = nextOf(step, answer);
    if (next === 'again') return;
    const at = new Date(now());
    if ('url' in next) {
      await destinations.setStep(_id, next, at);
      await destinations.makeDue(new Map([[hostToAsk(next.url), at]]));
      return;
    }
    await destinations.endCheck(destination, {
      known: afterCheck(destination, next, at),
      next: new Date(at.getTime() + everyMs),
    });
    await destinations.makeDue(new Map([[hostToAsk(url), new Date(at.getTime() + everyMs)]]));
  }
}

/** Returns what an answer leads to: the next request of the check, or what the check found. */
function nextOf(step: CheckStep, answer: Answer): CheckStep | Finding | 'again' {
  switch (answer.kind) {
    case 'again':
      return 'again';
    case 'redirect':
      return hop(step, answer.location) ?? { state: 'unknown' };
    case 'broken':
      return { state: 'broken', status: null };
    case 'unknown':
      return { state: 'unknown' };
    case 'silent':
      return step.method === 'HEAD' ? { ...step, method: 'GET' } : { state: 'unknown' };
    case 'response':
      // Servers answer HEAD as they like.
      if (step.method === 'HEAD' && (answer.status < 200 || answer.status > 299)) return { ...step, method: 'GET' };
      return findingOf(answer.status);
  }
}

/** Returns the step that follows a redirect, or null if it leads nowhere that is checked. */
function hop({ url, method, redirects }: CheckStep, location: string): CheckStep | null {
  const next = URL.parse(location, url);
  if (next === null || redirects === MAX_REDIRECTS || next.href.length > URL_MAX_LENGTH) return null;
  if (!/^https?:$/.test(next.protocol) || next.username !== '' || next.password !== '') return null;
  return { url: next.href, method, redirects: redirects + 1 };
}
