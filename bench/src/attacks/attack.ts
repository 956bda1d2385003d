import type { AttackedStack } from './attacked-stack.ts';
import type { OtherRequests } from './others.ts';

export type AttackedService = 'gateway' | 'links-svc' | 'analytics-svc' | 'mcp-svc';

/** One thing that a stranger or one client does to everybody else. */
export interface Attack {
  name: string;
  /** What is sent, in a sentence. */
  about: string;
  /** Whose memory is watched. */
  service: AttackedService;
  /** Others are measured for at least so long, also when the attack itself is over. */
  measureMs: number;
  /** Starts what the stack needs for it, and returns the environment that the stack is started with. */
  environment?(onClose: (end: () => Promise<void>) => void): Promise<Record<string, string>>;
  /** Makes ready what the attack needs, before anything is measured. */
  prepare(stack: AttackedStack): Promise<PreparedAttack>;
}

/** An attack that is ready to begin. */
export interface PreparedAttack {
  /** Attacks, and returns what came of it, a line for each fact. */
  run(): Promise<string[]>;
  /** Looks at what is left of it once nothing is measured any more. */
  afterwards?(): Promise<string[]>;
  /** Requests that are measured besides those that always are. */
  others?: readonly OtherRequests[];
}

/** The attack cannot be made on this machine; the message says why. */
export class SkippedAttack extends Error {
  override readonly name = 'SkippedAttack';
}
