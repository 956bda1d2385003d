import { findFreePorts } from '../../packages/stack/src/ports.ts';

/** As many different free ports of 127.0.0.1, none of them one that a server or a client beside gets from the system. */
export function freePorts(count: number): Promise<number[]> {
  return findFreePorts(count, '127.0.0.1');
}
