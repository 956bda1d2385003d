import { createMetrics, type Logger } from '@waymark/service-kit';
import { expect, test, vi } from 'vitest';
import { FollowerLog } from './follower-log.ts';

test('each failure counts, and an outage is logged once when it begins and once when it ends', async () => {
  const logger = { warn: vi.fn(), info: vi.fn() };
  const { registry } = createMetrics('links-svc');
  const log = new FollowerLog(logger as unknown as Logger, registry);
  const failures = async () => (await registry.getSingleMetric('log_follower_failures_total')!.get()).values[0]!.value;
  log.worked();
  expect([await failures(), logger.warn.mock.calls, logger.info.mock.calls]).toEqual([0, [], []]);
  const err = new Error('down');
  log.failed(err);
  log.failed(new Error('still down'));
  expect(await failures()).toBe(2);
  expect(logger.warn.mock.calls).toEqual([[{ err }, expect.stringContaining('could not follow')]]);
  log.worked();
  log.worked();
  expect(logger.info).toHaveBeenCalledOnce();
  log.failed(err);
  expect(logger.warn).toHaveBeenCalledTimes(2);
});
