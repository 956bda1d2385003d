import { packageConfig } from '../../vitest.shared.ts';

const files = (names: string[]) => names.map((name) => `test/${name}.test.ts`);

export default packageConfig(import.meta.dirname, {
  onGivenDatabases: files(['analytics', 'crosses', 'ingestion', 'late-insert', 'replicas', 'tables']),
  longForm: { files: files(['analytics', 'click-lists', 'ingestion']), lengths: { ANALYTICS_LENGTH: '5' } },
});
