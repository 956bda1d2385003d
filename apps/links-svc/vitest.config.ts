import { packageConfig } from '../../vitest.shared.ts';

export default packageConfig(import.meta.dirname, { globalSetup: ['test/support/mongodb.ts'] });
