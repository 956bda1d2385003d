import fc from 'fast-check';
import type { ClientSession, Collection, MongoServerError } from 'mongodb';
import { expect, it } from 'vitest';
import { useServer } from './given-server.ts';

const TRANSACTIONS_OF_CLIENT = 25;
const CLIENTS = 4;
const ACCOUNTS = ['a', 'b', 'c', 'd'];
const START = 1000;

const server = useServer();

interface Account {
  _id: string;
  balance: number;
  revision: number;
}

interface Transfer {
  from: string;
  to: string;
  amount: number;
  ending: 'commit' | 'abort' | 'duplicate';
}

interface Event {
  _id: string;
  change: number;
}

const transfer: fc.Arbitrary<Transfer> = fc
  .record({
    pair: fc.shuffledSubarray(ACCOUNTS, { minLength: 2, maxLength: 2 }),
    amount: fc.integer({ min: 1, max: 9 }),
    ending: fc.constantFrom('commit', 'commit', 'commit', 'abort', 'duplicate'),
  })
  .map(({ pair, amount, ending }) => ({ from: pair[0] as string, to: pair[1] as string, amount, ending }) as Transfer);
const plans = fc.array(fc.array(transfer, { minLength: TRANSACTIONS_OF_CLIENT, maxLength: TRANSACTIONS_OF_CLIENT }), {
  minLength: CLIENTS,
  maxLength: CLIENTS,
});

/** Repeats a transaction until it is committed, as a service does: it is not if another one was faster. */
async function committed(run: (session: ClientSession) => Promise<void>): Promise<void> {
  for (;;) {
    const session = server.client.startSession();
    try {
      session.startTransaction();
      await run(session);
      await session.commitTransaction();
      return;
    } catch (error) {
      if (![112, 251, 11000].includes((error as MongoServerError).code as number)) throw error;
    } finally {
      await session.endSession();
    }
  }
}

const totalOf = (accounts: readonly Account[]) => accounts.reduce((sum, { balance }) => sum + balance, 0);

it('concurrent transactions and single writes end as in a model', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (clients) => {
      const accounts = server.collection<Account>();
      const events = server.collection<Event>();
      await accounts.insertMany(ACCOUNTS.map((_id) => ({ _id, balance: START, revision: 0 })));
      await events.insertOne({ _id: 'taken', change: 0 });

      async function move(session: ClientSession, { from, to, amount }: Transfer): Promise<void> {
        const read = await accounts.find({ _id: { $in: [from, to] } }, { session }).toArray();
        // Absolute values: a lost update would show.
        const changes = read.map(({ _id, balance, revision }) => ({
          _id,
          balance: balance + (_id === from ? -amount : amount),
          revision: revision + 1,
        }));
        // An event for each revision proves that nobody else changed the account in between.
        await events.insertMany(
          changes.map(({ _id, revision }) => ({ _id: `${_id}:${revision}`, change: _id === from ? -amount : amount })),
          { session },
        );
        await accounts.bulkWrite(
          changes.map(({ _id, ...$set }) => ({ updateOne: { filter: { _id }, update: { $set } } })),
          { session },
        );
        expect(await accounts.find({ _id: { $in: [from, to] } }, { session }).toArray()).toEqual(
          expect.arrayContaining(changes),
        );
      }

      async function run(one: Transfer): Promise<void> {
        if (one.ending === 'commit') return committed((session) => move(session, one));
        const session = server.client.startSession();
        try {
          session.startTransaction();
          await move(session, one);
          if (one.ending === 'duplicate') await events.insertOne({ _id: 'taken', change: one.amount }, { session });
        } catch (error) {
          expect([112, 251, 11000]).toContain((error as MongoServerError).code);
        } finally {
          await session.endSession();
        }
      }

      let running = true;
      const reader = readUntil(() => running, accounts);
      await Promise.all(
        clients.map(async (transfers) => {
          for (const one of transfers) await run(one);
        }),
      );
      running = false;
      await reader;

      const transfers = clients.flat().filter(({ ending }) => ending === 'commit');
      const stored = await events.find({ _id: { $ne: 'taken' } } as never).toArray();
      for (const { _id, balance, revision } of await accounts.find().toArray()) {
        const own = transfers.filter(({ from, to }) => from === _id || to === _id);
        expect(balance).toBe(own.reduce((sum, { from, amount }) => sum + (from === _id ? -amount : amount), START));
        expect(revision).toBe(own.length);
        const changes = stored.filter((event) => event._id.startsWith(`${_id}:`));
        expect(changes).toHaveLength(own.length);
        expect(changes.reduce((sum, { change }) => sum + change, START)).toBe(balance);
      }
    }),
    { numRuns: 3, endOnFailure: true },
  );
});

/** Reads what is committed until the end: no read may see a part of a transaction. */
async function readUntil(isRunning: () => boolean, accounts: Collection<Account>): Promise<void> {
  while (isRunning()) expect(totalOf(await accounts.find().toArray())).toBe(START * ACCOUNTS.length);
}
