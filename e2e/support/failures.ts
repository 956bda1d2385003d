import type { Stack } from '@waymark/stack';
import { expect } from 'vitest';

/** No request got another answer than it should; else says which did, how often, and what the processes logged. */
export function expectNoFailures(failures: ReadonlyMap<string, number>, stack: Stack): void {
  const each = [...failures].map(([what, times]) => `${times} × ${what}`);
  expect(failures.size, [...each, errorsLogged(stack)].join('\n')).toBe(0);
}

/** The last errors that its processes logged. */
function errorsLogged(stack: Stack): string {
  return Object.values(stack.processes)
    .flatMap((one) => one.log().split('\n'))
    .filter((line) => line.includes('"level":"error"'))
    .slice(-10)
    .join('\n');
}
