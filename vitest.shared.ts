import { basename, join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { resultsReporter } from './scripts/results-reporter.ts';

/**
 * The vitest configuration of every package: TypeScript sources of the workspace are used directly (the `source`
 * export condition), and where TEST_RESULTS names a folder, each package leaves its results there.
 */
export function packageConfig(directory: string, test: ViteUserConfig['test'] = {}): ViteUserConfig {
  const name = basename(directory);
  const results = process.env.TEST_RESULTS;
  return defineConfig({
    root: directory,
    resolve: { conditions: ['@waymark/source'] },
    ssr: { resolve: { conditions: ['@waymark/source'] } },
    test: {
      name,
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      testTimeout: 20_000,
      hookTimeout: 60_000,
      reporters: results ? ['default', resultsReporter(join(results, `${name}.json`))] : ['default'],
      ...test,
    },
  });
}
