import { packageConfig } from '../../vitest.shared.ts';

// Files replace modules, so each has its own.
export default packageConfig(import.meta.dirname, { isolate: true });
