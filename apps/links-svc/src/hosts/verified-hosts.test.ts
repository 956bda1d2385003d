import { expect, test } from 'vitest';
import type { ReleasedHostDocument } from '../database/documents/released-host.ts';
import type { FoundHost } from './hosts.store.ts';
import { VerifiedHosts } from './verified-hosts.ts';

function host(account_id: string, name: string, status: FoundHost['status'] = 'verified'): FoundHost {
  return { _id: `${account_id}-${name}`, account_id, host: name, status, root_url: null, not_found_url: null };
}

/** Returns a database with hosts, and what a replica knows of them. */
function harness(...hosts: FoundHost[]) {
  const state = {
    hosts,
    isDown: false,
    reads: [] as (readonly string[] | undefined)[],
    released: [] as ReleasedHostDocument[],
    now: 1_000,
  };
  const verified = new VerifiedHosts(
    {
      found: async (accountIds) => {
        state.reads.push(accountIds);
        if (state.isDown) throw new Error('down');
        return state.hosts.filter(({ account_id }) => accountIds?.includes(account_id) ?? true);
      },
      released: async (accountIds) =>
        state.released.filter(({ account_id }) => accountIds?.includes(account_id) ?? true),
    },
    () => state.now,
  );
  return { state, verified };
}

test('hosts stay known while the database is away, and what changed meanwhile is read afterwards', async () => {
  const { state, verified } = harness(host('a', 'go.example'), host('b', 'to.example'));
  await verified.whenLoaded();
  await verified.whenLoaded();
  state.isDown = true;
  state.hosts = [host('b', 'to.example'), host('b', 'new.example')];
  verified.expire(['a']);
  await expect(verified.refresh()).rejects.toThrow('down');
  verified.expire(['b']);
  await expect(verified.refresh()).rejects.toThrow('down');
  expect(verified.find('go.example')?.accountId).toBe('a');
  expect(verified.find('new.example')).toBeUndefined();
  state.isDown = false;
  await verified.refresh();
  await verified.refresh();
  expect(verified.find('go.example')).toBeUndefined();
  expect(verified.find('to.example')?.accountId).toBe('b');
  expect(verified.find('new.example')?.accountId).toBe('b');
  expect(state.reads).toEqual([undefined, ['a'], ['a', 'b'], ['a', 'b']]);
});

test('a host that moved belongs to its new account, whichever is read first', async () => {
  for (const order of [
    ['a', 'b'],
    ['b', 'a'],
  ]) {
    const { state, verified } = harness(host('a', 'go.example'));
    await verified.whenLoaded();
    state.hosts = [host('b', 'go.example')];
    for (const account of order) {
      verified.expire([account]);
      await verified.refresh();
    }
    expect(verified.find('go.example')?.accountId).toBe('b');
  }
});

test('what changes while hosts are read is read again', async () => {
  const { state, verified } = harness(host('a', 'go.example'));
  const first = verified.refresh();
  await Promise.resolve();
  state.hosts = [];
  verified.expire(['a']);
  await Promise.all([first, verified.refresh()]);
  expect(verified.find('go.example')).toBeUndefined();
});

test('a name is claimed as long as any account has it, verified or not', async () => {
  const { state, verified } = harness(host('a', 'go.example', 'pending'), host('b', 'go.example', 'lost'));
  await verified.whenLoaded();
  expect([verified.find('go.example'), verified.isClaimed('go.example')]).toEqual([undefined, true]);
  expect([verified.isClaimed('other.example'), verified.isHolder('a')]).toEqual([false, false]);
  state.hosts = [host('b', 'go.example', 'lost')];
  verified.expire(['a']);
  await verified.refresh();
  expect(verified.isClaimed('go.example')).toBe(true);
  state.hosts = [];
  verified.expire(['b']);
  await verified.refresh();
  expect(verified.isClaimed('go.example')).toBe(false);
});

test('a name that accounts have deleted is claimed until the last of its records expires', async () => {
  const { state, verified } = harness();
  const released = (account_id: string, ms: number) => ({
    _id: account_id,
    account_id,
    host: 'go.example',
    expires_at: new Date(ms),
  });
  state.released = [released('a', 3_000), released('b', 2_000)];
  await verified.whenLoaded();
  const isClaimedAt = (ms: number) => {
    state.now = ms;
    return verified.isClaimed('go.example');
  };
  expect([isClaimedAt(1_000), isClaimedAt(2_999), isClaimedAt(3_000)]).toEqual([true, true, false]);
  state.hosts = [host('c', 'go.example', 'pending')];
  verified.expire(['c']);
  await verified.refresh();
  expect(isClaimedAt(9_000)).toBe(true);
  state.hosts = [host('c', 'go.example')];
  verified.expire(['c']);
  await verified.refresh();
  expect(verified.find('go.example')?.accountId).toBe('c');
});
