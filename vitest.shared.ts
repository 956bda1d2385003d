import { basename, join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { resultsReporter } from './scripts/results-reporter.ts';

/**
 * Returns the vitest configuration of a package. Workspace packages are imported from their TypeScript sources (export
 * condition `@waymark/source`). If TEST_RESULTS names a folder, each package writes its results there. On given databases
 * unit tests do not run, because they use none.
 */
export function packageConfig(directory: string, test: ViteUserConfig['test'] = {}): ViteUserConfig {
  const name = basename(directory);
  const results = process.env.TEST_RESULTS;
  const hasGivenDatabases = Boolean(process.env.MONGODB_URL || process.env.CLICKHOUSE_URL);
  return defineConfig({
    root: directory,
    resolve: { conditions: ['@waymark/source'] },
    ssr: { resolve: { conditions: ['@waymark/source'] } },
    test: {
      name,
      include: hasGivenDatabases ? ['test/**/*.test.ts'] : ['src/**/*.test.ts', 'test/**/*.test.ts'],
      testTimeout: 60_000,
      hookTimeout: 60_000,
      // Continuous integration runs on busy machines. It lists the tests that passed only when they were repeated.
      retry: process.env.CI ? 1 : 0,
      // Node keeps compiled code there, because tests start the same processes many times.
      env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node-compile') },
      reporters: results ? ['default', resultsReporter(join(results, `${name}.json`))] : ['default'],
      ...test,
    },
  });
}
