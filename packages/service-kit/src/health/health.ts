import { EventEmitter } from 'node:events';
import { withTimeout } from '../concurrency/with-timeout.ts';
import { UnmetRequirement } from './unmet-requirement.ts';

/** A check of one dependency. It rejects if the dependency cannot serve. */
export type Check = () => Promise<void>;

export interface Readiness {
  ready: boolean;
  /** The result of each check. */
  checks: Record<string, 'ok' | 'failed'>;
  /** A sentence for each requirement that is not met. */
  unmet: string[];
}

/** The health of a process: whether it can serve. */
export interface Health {
  /** Runs the checks, at most once a second, in parallel, each for at most a second. Never throws. */
  readiness(): Promise<Readiness>;
  /** Resolves to true once the process has been ready, until it is about to stop. Never throws. */
  hasStarted(): Promise<boolean>;
  /** Marks the process as about to stop. It is not ready from then on. */
  setNotReady(): void;
  readonly isStopping: boolean;
  /** Calls the listener once, when the process is about to stop. Returns a function that removes the listener. */
  onStopping(listener: () => void): () => void;
}

const CHECK_TIMEOUT_MS = 1000;
const CACHED_MS = 1000;

/**
 * Creates the health of a process, which is ready while every check passes. `onChange` is called when a check begins to
 * fail, with its error, and when it passes again, with null.
 */
export function createHealth(
  checks: Record<string, Check>,
  onChange: (name: string, error: unknown | null) => void = () => {},
): Health {
  const stopping = new EventEmitter().setMaxListeners(0);
  const failing = new Map<string, unknown>();
  let isStopping = false;
  let wasReady = false;
  let cached: { at: number; result: Promise<Record<string, 'ok' | 'failed'>> } | undefined;

  async function run(name: string, check: Check): Promise<'ok' | 'failed'> {
    try {
      await withTimeout(check(), CHECK_TIMEOUT_MS, `the check of ${name}`);
      if (failing.delete(name)) onChange(name, null);
      return 'ok';
    } catch (error) {
      if (!failing.has(name)) onChange(name, error);
      failing.set(name, error);
      return 'failed';
    }
  }

  async function runAll(): Promise<Record<string, 'ok' | 'failed'>> {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await run(name, check)]),
    );
    return Object.fromEntries(results);
  }

  async function readiness(): Promise<Readiness> {
    const now = performance.now();
    if (cached === undefined || now - cached.at >= CACHED_MS) cached = { at: now, result: runAll() };
    const results = await cached.result;
    const ready = !isStopping && Object.values(results).every((result) => result === 'ok');
    wasReady ||= ready;
    const unmet = [...failing.values()]
      .map((error) => (error instanceof Error && error.cause instanceof UnmetRequirement ? error.cause : error))
      .flatMap((error) => (error instanceof UnmetRequirement ? [error.message] : []));
    return { ready, checks: results, unmet };
  }

  return {
    readiness,
    hasStarted: async () => (wasReady || (await readiness()).ready) && !isStopping,
    setNotReady() {
      if (isStopping) return;
      isStopping = true;
      stopping.emit('stopping');
    },
    get isStopping() {
      return isStopping;
    },
    onStopping(listener) {
      stopping.once('stopping', listener);
      return () => stopping.off('stopping', listener);
    },
  };
}
