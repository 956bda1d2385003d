import type { AttackedService, AttackedStack } from './attacked-stack.ts';
import type { OtherRequests } from './others.ts';

/** An attack by one client, with or without a key, that may affect all other clients. */
export interface Attack {
  name: string;
  /** What the attack sends, in one sentence. */
  about: string;
  /** The service whose memory is measured. */
  service: AttackedService;
  /** Minimum time for which the other requests are measured, even if the attack ends earlier. */
  measureMs: number;
  /** True if hundreds of connections arrive in one instant. The limit of waits is then for 99 of 100 requests. */
  isSudden?: boolean;
  /** Starts what the stack needs for this attack, and returns the environment variables to start the stack with. */
  environment?(onClose: (end: () => Promise<void>) => void): Promise<Record<string, string>>;
  /** Prepares the attack, before anything is measured. */
  prepare(stack: AttackedStack): Promise<PreparedAttack>;
  /** Prepares requests to measure in addition to the usual ones. */
  others?(stack: AttackedStack): Promise<OtherRequests[]>;
}

/** An attack that is ready to start. */
export interface PreparedAttack {
  /** Runs the attack and returns its outcome, one fact per line. */
  run(): Promise<string[]>;
  /** Checks the state after the attack, when measuring has ended. */
  afterwards?(): Promise<string[]>;
}

/** Thrown if the attack cannot run on this machine; the message says why. */
export class SkippedAttack extends Error {
  override readonly name = 'SkippedAttack';
}
