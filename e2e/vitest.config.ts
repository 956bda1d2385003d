import { configDefaults } from 'vitest/config';
import { packageConfig } from '../vitest.shared.ts';

/** Tests that always use embedded databases, because they test, stop or copy them. Skipped if databases are given. */
const ON_EMBEDDED_DATABASES = [
  'backup.test.ts',
  'dependencies.test.ts',
  'embedded-databases.test.ts',
  'survival.test.ts',
];

export default packageConfig(import.meta.dirname, {
  include: ['**/*.test.ts'],
  exclude: [...configDefaults.exclude, ...(process.env.MONGODB_URL ? ON_EMBEDDED_DATABASES : [])],
  testTimeout: 120_000,
  hookTimeout: 180_000,
  fileParallelism: false,
  globalSetup: './support/global-setup.ts',
});
