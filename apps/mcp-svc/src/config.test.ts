import { loadConfig } from '@waymark/service-kit';
import { expect, test } from 'vitest';
import { configSchema } from './config.ts';

test('what has no safe default must be set, and every name that is missing is told at once', () => {
  expect(() => loadConfig(configSchema, {})).toThrow(/ANALYTICS_GRPC[\s\S]*LINKS_GRPC[\s\S]*SIGNING_KEY/);
});
