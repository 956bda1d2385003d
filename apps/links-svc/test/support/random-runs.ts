/** Returns how many random cases a test has. `test:long` has many times as many. */
export const randomRuns = (short: number): number => short * Number(process.env.RANDOM_RUNS ?? 1);
