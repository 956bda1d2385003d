import { relative } from 'node:path';
import { configDefaults } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { packageConfig } from '../vitest.shared.ts';

/** Tests that always use embedded databases, because they test, stop or copy them. Skipped if databases are given. */
const ON_EMBEDDED_DATABASES = [
  'backup.test.ts',
  'dependencies.test.ts',
  'embedded-databases.test.ts',
  'jobs-survival.test.ts',
  'slugs-survival.test.ts',
  'survival.test.ts',
  'visitors.test.ts',
];

/** Tests of things that no database decides, such as the dashboard's pages. Skipped if databases are given. */
const WITHOUT_DATABASE_RULES = [
  'clocks.test.ts',
  'configuration.test.ts',
  'contract/auto-meta.test.ts',
  'contract/openapi-fetch/generated-client.test.ts',
  'contract/generated-clients.test.ts',
  'dashboard/**',
  'endurance.test.ts',
  'errors.test.ts',
  'first-link.test.ts',
  'image.test.ts',
  'mcp/agent-tasks.test.ts',
  'mcp/clients.test.ts',
  'mcp/conformance.test.ts',
  'mcp/failures.test.ts',
  'mcp/foreign-clients.test.ts',
  'mcp/mistakes.test.ts',
  'mcp/parity.test.ts',
  'mcp/replicas.test.ts',
  'mcp/transport.test.ts',
  'observability.test.ts',
  'rolling-restart.test.ts',
  'rotate-signing-key.test.ts',
  'spool-drain.test.ts',
  'start.test.ts',
  'tls.test.ts',
  'tracing.test.ts',
  'trust.test.ts',
];

/**
 * The files that run first. The longest ones begin, so that no worker ends long before the others. Those that count failed
 * requests under load are apart, so that they do not take each other's CPU, and not at the start, when the tests of other
 * packages run too.
 */
const FIRST = [
  'dependencies.test.ts',
  'dashboard/analytics.test.ts',
  'image.test.ts',
  'jobs-survival.test.ts',
  'survival.test.ts',
  'dashboard/accessibility.test.ts',
  'mcp/parity.test.ts',
  'start.test.ts',
  'dashboard/changes.test.ts',
  'replicas.test.ts',
  'dashboard/links.test.ts',
  'errors.test.ts',
  'backup.test.ts',
  'dashboard/imports.test.ts',
  'rolling-restart.test.ts',
  'clocks.test.ts',
  'slugs-survival.test.ts',
  'dashboard/session.test.ts',
  'dashboard/jobs.test.ts',
  'configuration.test.ts',
  'admin.test.ts',
  'rotate-signing-key.test.ts',
  'mcp/failures.test.ts',
  'fuzz.test.ts',
  'dashboard/keyboard.test.ts',
  'dashboard/translation.test.ts',
  'hidden-links.test.ts',
  'sessions.test.ts',
  'endurance.test.ts',
  'dashboard/layout-shift.test.ts',
  'contract/link-fields.test.ts',
  'contract/model.test.ts',
  'dashboard/words.test.ts',
  'tls.test.ts',
  'dashboard/hosts.test.ts',
  'mcp/replicas.test.ts',
];

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = FIRST.indexOf(relative(import.meta.dirname, moduleId));
      return index === -1 ? FIRST.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default packageConfig(import.meta.dirname, {
  include: ['**/*.test.ts'],
  exclude: [
    ...configDefaults.exclude,
    ...(process.env.MONGODB_URL ? [...ON_EMBEDDED_DATABASES, ...WITHOUT_DATABASE_RULES] : []),
  ],
  testTimeout: 120_000,
  hookTimeout: 180_000,
  // A busy machine may take long for a page. Where a promise names a time, the test names it too.
  expect: { poll: { timeout: 20_000 } },
  // Files wait more than they compute. Each one uses its own stack, or accounts of its own on the shared one. On given
  // databases the tests of two services run meanwhile, and take longer than these.
  maxWorkers: process.env.MONGODB_URL ? 1 : 3,
  sequence: { sequencer: InOrder },
  globalSetup: './support/global-setup.ts',
});
