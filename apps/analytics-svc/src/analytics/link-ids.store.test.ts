import { expect, test } from 'vitest';
import type { Database } from '../database/database.ts';
import { createLinkIds, KEPT_MAX } from './link-ids.store.ts';

/** Returns a database that knows the id of every link, and how many links each statement asked for. */
function namingDatabase() {
  const asked: number[] = [];
  const database: Pick<Database, 'query'> = {
    async query<Row>(statement: string) {
      const numbers = /IN \(([^)]*)\)/.exec(statement)![1]!.split(',');
      asked.push(numbers.length);
      return numbers.map((number) => ({ number, link_id: `id-${number}` })) as Row[];
    },
  };
  return { database, asked };
}

const options = { settings: {}, signal: new AbortController().signal };

test('a link is asked for once', async () => {
  const { database, asked } = namingDatabase();
  const idsOf = createLinkIds(database);
  await idsOf('account', ['1', '2'], options);
  expect(await idsOf('account', ['2', '3'], options)).toEqual(
    new Map([
      ['2', 'id-2'],
      ['3', 'id-3'],
    ]),
  );
  expect(asked).toEqual([2, 1]);
});

test('a link that was known is in the answer also where new ones push it out of what is kept', async () => {
  const { database } = namingDatabase();
  const idsOf = createLinkIds(database);
  const numbers = Array.from({ length: KEPT_MAX }, (_, number) => String(number));
  await idsOf('account', numbers, options);
  const asked = ['0', 'new-1', 'new-2'];
  expect([...(await idsOf('account', asked, options)).keys()].sort()).toEqual(asked);
});
