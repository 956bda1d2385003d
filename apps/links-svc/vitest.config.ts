import { packageConfig } from '../../vitest.shared.ts';

const files = (names: string[]) => names.map((name) => `test/${name}.test.ts`);

export default packageConfig(import.meta.dirname, {
  globalSetup: ['test/support/mongodb.ts'],
  onGivenDatabases: files([
    'bulk',
    'changes',
    'counts',
    'edit-jobs',
    'events',
    'export',
    'hashtags',
    'hosts',
    'idempotency',
    'import-jobs',
    'job-replicas',
    'jobs',
    'link-hosts',
    'lists',
    'migrations',
    'requirements',
    'search-texts',
    'shard-keys',
    'upserts',
  ]),
  longForm: {
    files: files([
      'changes',
      'counts',
      'followers',
      'hashtags',
      'job-replicas',
      'link-names',
      'lists',
      'redirects',
      'search-texts',
      'text-fields',
    ]),
    lengths: { MODEL_OPERATIONS: '10000', FOLLOWED_CHANGES: '750', RANDOM_RUNS: '20' },
  },
});
