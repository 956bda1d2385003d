import { packageConfig } from '../vitest.shared.ts';

export default packageConfig(import.meta.dirname, {
  include: ['**/*.test.ts'],
  globalSetup: './support/global-setup.ts',
  // The services' own tests show what databases decide. This one shows that the system works on them.
  onGivenDatabases: ['contract/model.test.ts'],
  longForm: {
    files: [
      'contract/clicks.test.ts',
      'contract/fuzz.test.ts',
      'contract/model.test.ts',
      'dashboard/accessibility.test.ts',
      'dashboard/analytics.test.ts',
      'faults/changes-survival.test.ts',
      'faults/dependencies.test.ts',
      'faults/survival.test.ts',
      'mcp/parity.test.ts',
    ],
    lengths: {
      CLICKS: '10000',
      COLOR_SCHEMES: 'light,dark',
      ENDURANCE_SECONDS: '1800',
      HANGS: 'mongodb,clickhouse,links-svc',
      FUZZ_REQUESTS: '20000',
      KILLS: '40',
      MODEL_OPERATIONS: '10000',
      PARITY_LENGTH: '2',
    },
  },
});
