import { findFreePorts } from '../../packages/stack/src/ports.ts';

/** Returns `count` different free ports of 127.0.0.1, outside the range from which the system assigns ports. */
export function freePorts(count: number): Promise<number[]> {
  return findFreePorts(count, '127.0.0.1');
}
