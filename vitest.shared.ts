import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { resultsReporter } from './scripts/results-reporter.ts';

/** Test files of a package that run at once. Files wait more than they compute. */
const WORKERS = Number(process.env.TEST_WORKERS ?? availableParallelism());

interface TestOptions extends NonNullable<ViteUserConfig['test']> {
  /** The files that run again on given databases: those of what a database decides. */
  onGivenDatabases?: string[];
  /** The files whose length variables set, and the long forms. `test` runs them in their short form. */
  longForm?: { files: string[]; lengths: Record<string, string> };
}

/**
 * Returns the vitest configuration of a package. Its mode says what runs, and the name of a file which mode it belongs to:
 *
 * - `test`, the default: all files but `*.timed.test.ts` and `*.long.test.ts`
 * - `timed`: `*.timed.test.ts`, which assert seconds that the API promises, and need the machine for themselves
 * - `long`: `*.long.test.ts`, and `longForm`
 * - `integration`: `onGivenDatabases`, on MONGODB_URL and CLICKHOUSE_URL
 *
 * Workspace packages are imported from their TypeScript sources (export condition `@waymark/source`).
 */
export function packageConfig(directory: string, options: TestOptions = {}) {
  const { onGivenDatabases = [], longForm = { files: [], lengths: {} }, ...test } = options;
  const name = basename(directory);
  return defineConfig(({ mode }) => ({
    root: directory,
    resolve: { conditions: ['@waymark/source'] },
    ssr: { resolve: { conditions: ['@waymark/source'] } },
    test: {
      name,
      // Generous, because a busy machine is slow. Where the API promises seconds, a timed test names them.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 60_000 } },
      env: {
        // Node keeps compiled code there, because tests start the same processes many times.
        NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node-compile'),
        ...(mode === 'long' && { ...longForm.lengths, ...process.env }),
      },
      // Turborepo caches the results with the outcome of the tests.
      reporters: process.env.TURBO_HASH
        ? ['default', resultsReporter(join(directory, '.test-results', `${mode}.json`))]
        : ['default'],
      maxWorkers: WORKERS,
      // Files of a worker share what they import, which saves a sixth of the CPU time.
      isolate: false,
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      ...test,
      ...filesOf(mode),
    },
  }));

  function filesOf(mode: string): ViteUserConfig['test'] {
    const others = ['**/node_modules/**', '**/dist/**'];
    switch (mode) {
      case 'timed':
        return { include: ['**/*.timed.test.ts'], exclude: others, maxWorkers: 1 };
      case 'long':
        return { include: ['**/*.long.test.ts', ...longForm.files], exclude: others, maxWorkers: 1 };
      case 'integration':
        if (!process.env.MONGODB_URL || !process.env.CLICKHOUSE_URL)
          throw new Error('test:integration needs MONGODB_URL and CLICKHOUSE_URL');
        return { include: onGivenDatabases, exclude: others };
      default:
        return { exclude: [...others, '**/*.timed.test.ts', '**/*.long.test.ts'] };
    }
  }
}
