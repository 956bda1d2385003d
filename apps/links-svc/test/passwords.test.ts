import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Service } from './support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await Service.start({ config: { PASSWORD_TRIES_PER_MINUTE: 0 } });
});
afterAll(() => service.close());

const destination_url = 'https://example.com/';

/** Sends the same request many times concurrently and collects the statuses as responses arrive. */
function flood(times: number, send: () => Promise<{ status: number }>) {
  const statuses: number[] = [];
  const all = Array.from({ length: times }, () => send().then(({ status }) => statuses.push(status)));
  return {
    statuses,
    /** Returns how many requests got their turn. On a machine without free CPU the others are refused after a while. */
    served: () => statuses.filter((status) => status !== 503).length,
    first: Promise.race(all),
    over: Promise.all(all),
  };
}

/** Sends a password as a visitor. */
async function guess(slug: string, password: string): Promise<{ status: number }> {
  const body = new URLSearchParams({ password });
  const answer = await fetch(`${service.origin}/${slug}`, { method: 'POST', body, redirect: 'manual' });
  await answer.arrayBuffer();
  return answer;
}

/** Sends a request again while it is refused as too busy, as a machine with very little CPU does for any password. */
async function untilServed<Answer extends { status: number }>(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
  }
}

test('a flood of guesses at one link delays neither other visitors nor API clients', async () => {
  const account = await service.createAccount();
  const attacked = await service.createLink(account.live, { password: 'one' });
  const other = await service.createLink(account.live, { password: 'two' });
  const guesses = flood(12, () => guess(attacked.slug, 'wrong'));
  await guesses.first;
  const repliesBefore = async (answer: Promise<{ status: number }>, status: number) => {
    expect((await answer).status).toBe(status);
    expect(guesses.served()).toBeLessThan(9);
  };
  await Promise.all([
    repliesBefore(
      untilServed(() => guess(other.slug, 'two')),
      303,
    ),
    repliesBefore(
      untilServed(() => service.create(account.live, { destination_url, password: 'three' })),
      201,
    ),
  ]);
  await guesses.over;
});

test('many visitors who enter the right password of a link at once are all redirected', async () => {
  const account = await service.createAccount();
  const { id, slug } = await service.createLink(account.live, { password: 'shared' });
  const visits = flood(90, () => untilServed(() => guess(slug, 'shared')));
  await visits.over;
  expect(new Set(visits.statuses)).toEqual(new Set([303]));

  expect((await service.update(account.live, id, { password: 'changed' })).status).toBe(200);
  expect((await guess(slug, 'shared')).status).toBe(403);
  expect((await guess(slug, 'changed')).status).toBe(303);
});

test('an account that sends many passwords does not have them all hashed before those of others', async () => {
  const [busy, other] = [await service.createAccount(), await service.createAccount()];
  const creations = flood(8, () => service.create(busy.live, { destination_url, password: 'x' }));
  await creations.first;
  const made = await untilServed(() => service.create(other.live, { destination_url, password: 'x' }));
  expect(made.status).toBe(201);
  expect(creations.served()).toBeLessThan(6);
  await creations.over;
});

test('a password for an unknown link gives 404 at once, without hashing', async () => {
  const account = await service.createAccount();
  const missing = await service.createLink(account.live);
  await service.delete(account.live, missing.id);
  const update = () => service.update(account.live, missing.id, { password: 'x' });
  // More than may wait, so that any further request that needs a hash is refused as unavailable.
  const creations = flood(130, () => service.create(account.live, { destination_url, password: 'x' }));
  await vi.waitFor(() => expect(creations.statuses).toContain(503), { timeout: 30_000, interval: 2 });
  expect((await update()).status).toBe(404);
  expect((await service.update(account.public, missing.id, { password: 'x' })).status).toBe(403);
  await creations.over;
});
