import { loadConfig } from '@waymark/service-kit';
import { expect, test } from 'vitest';
import { configSchema } from './config.ts';

test('variables without a safe default are required, and all missing names are reported at once', () => {
  expect(() => loadConfig(configSchema, {})).toThrow(/ANALYTICS_GRPC[\s\S]*LINKS_GRPC[\s\S]*SIGNING_KEY/);
});
