import { packageConfig } from '../../vitest.shared.ts';

export default packageConfig(import.meta.dirname, {
  onGivenDatabases: ['analytics', 'crosses', 'ingestion', 'late-insert', 'replicas', 'tables'].map(
    (name) => `test/${name}.test.ts`,
  ),
});
