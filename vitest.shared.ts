import { basename, join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

/**
 * The vitest configuration of every package: TypeScript sources of the workspace are used directly (the `source`
 * export condition), and where TEST_RESULTS names a folder, a JSON report for each package is left there.
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
      reporters: results ? ['default', 'json'] : ['default'],
      ...(results ? { outputFile: { json: join(results, `${name}.json`) } } : {}),
      ...test,
    },
  });
}
