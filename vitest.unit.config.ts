import { packageConfig } from './vitest.shared.ts';

// All unit tests in one run: the tests next to the code, which start no process and no database.
export default packageConfig(import.meta.dirname, {
  name: 'unit',
  include: ['{apps,packages}/*/src/**/*.test.ts', 'bench/src/**/*.test.ts'],
});
