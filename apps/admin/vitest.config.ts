import { packageConfig } from '../../vitest.shared.ts';

// Each test starts the command several times, which is slow on a busy machine.
export default packageConfig(import.meta.dirname, { testTimeout: 90_000 });
