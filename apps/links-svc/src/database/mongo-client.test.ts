import { expect, test } from 'vitest';
import { createMongoClient } from './mongo-client.ts';

const clientOf = (options: string) => createMongoClient(`mongodb://127.0.0.1:1/?${options}`);

// Transactions need the primary, and MongoDB refuses to begin them with some read concerns.
test.each([
  'readPreference=secondaryPreferred',
  'readPreference=secondary&maxStalenessSeconds=120&readPreferenceTags=dc:east',
  'readPreferenceTags=dc:east',
  'maxStalenessSeconds=120',
  'readConcernLevel=linearizable',
  'readConcernLevel=available',
  'readPreference=nearest&readConcernLevel=snapshot&w=1&journal=false',
])('?%s in MONGODB_URL does not change what is read and what is acknowledged', (options) => {
  const { readPreference, readConcern, writeConcern } = clientOf(options);
  expect([readPreference.mode, readPreference.tags]).toEqual(['primary', []]);
  expect(readConcern?.level).toBe('local');
  expect(writeConcern?.w).toBe('majority');
});
