import type { Stack } from '@waymark/stack';
import { expect } from 'vitest';

/** Checks that there are no failures. Otherwise reports each failure with its count, and the last logged errors. */
export function expectNoFailures(failures: ReadonlyMap<string, number>, stack: Stack): void {
  const each = [...failures].map(([what, times]) => `${times} × ${what}`);
  expect(failures.size, [...each, errorsLogged(stack)].join('\n')).toBe(0);
}

/** Returns the last ten errors that the processes of the stack logged. */
function errorsLogged(stack: Stack): string {
  return Object.values(stack.processes)
    .flatMap((one) => one.log().split('\n'))
    .filter((line) => line.includes('"level":"error"'))
    .slice(-10)
    .join('\n');
}
