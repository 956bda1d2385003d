import { configDefaults } from 'vitest/config';
import { packageConfig } from '../../vitest.shared.ts';

/** Tests that use no database. Skipped if one is given. */
const WITHOUT_DATABASE = ['click-spool', 'previews', 'spool-damage', 'spool-full-disk'].map((n) => `test/${n}.test.ts`);

export default packageConfig(import.meta.dirname, {
  globalSetup: ['test/support/mongodb.ts'],
  exclude: [...configDefaults.exclude, ...(process.env.MONGODB_URL ? WITHOUT_DATABASE : [])],
});
