import { afterEach, expect, test, vi } from 'vitest';
import { BegunSignIns } from './begun-sign-ins.ts';

afterEach(() => {
  vi.useRealTimers();
});

const BEGUN = { nonce: 'a nonce', codeVerifier: 'a verifier', challenge: 'a challenge' };
const [OLD, NEW] = ['o'.repeat(40), 'n'.repeat(40)];

test('a state shows nothing, and opens with the key that it was made with and with no other', async () => {
  const state = await new BegunSignIns([OLD]).seal(BEGUN);
  expect(Buffer.from(state.replaceAll('.', ''), 'base64url').toString('latin1')).not.toContain('a verifier');
  expect(await new BegunSignIns([OLD]).open(state)).toMatchObject(BEGUN);
  expect(await new BegunSignIns([NEW, OLD]).open(state)).toMatchObject(BEGUN);
  expect(await new BegunSignIns([NEW]).open(state)).toBeNull();
});

test('a state lasts 10 minutes, and a minute more for clocks that differ', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const states = new BegunSignIns([OLD]);
  const state = await states.seal(BEGUN);
  vi.setSystemTime(Date.now() + 10.9 * 60_000);
  expect(await states.open(state)).toMatchObject(BEGUN);
  vi.setSystemTime(Date.now() + 0.2 * 60_000);
  expect(await states.open(state)).toBeNull();
});
