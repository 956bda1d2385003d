import { packageConfig } from '../../vitest.shared.ts';

export default packageConfig(import.meta.dirname, {
  longForm: { files: ['test/mongodb/indexes.test.ts'], lengths: { STATEMENTS: '1000' } },
});
