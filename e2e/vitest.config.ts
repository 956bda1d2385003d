import { packageConfig } from '../vitest.shared.ts';

export default packageConfig(import.meta.dirname, {
  include: ['**/*.test.ts'],
  testTimeout: 120_000,
  hookTimeout: 180_000,
  fileParallelism: false,
  globalSetup: './support/global-setup.ts',
});
