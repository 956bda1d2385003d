import { packageConfig } from '../../vitest.shared.ts';

// Its tests replace modules of their own.
export default packageConfig(import.meta.dirname, { isolate: true });
