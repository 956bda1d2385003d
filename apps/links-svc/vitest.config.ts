import { configDefaults } from 'vitest/config';
import { packageConfig } from '../../vitest.shared.ts';

/** Tests of what no database decides. Skipped if one is given. */
const WITHOUT_DATABASE_RULES = [
  'auto-meta',
  'click-sender',
  'click-spool',
  'drain-spool',
  'passwords',
  'previews',
  'qr-code',
  'qr-codes',
  'query-parameters',
  'redirect-fast-path',
  'redirects',
  'shared-password-tries',
  'spool-faults',
  'unknown-methods',
].map((name) => `test/${name}.test.ts`);

export default packageConfig(import.meta.dirname, {
  // Files wait more than they compute.
  maxWorkers: 2,
  globalSetup: ['test/support/mongodb.ts'],
  exclude: [...configDefaults.exclude, ...(process.env.MONGODB_URL ? WITHOUT_DATABASE_RULES : [])],
});
