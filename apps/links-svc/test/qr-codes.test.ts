import type { QrQuery } from '@waymark/contract';
import { createLogger } from '@waymark/service-kit';
import { afterEach, describe, expect, test } from 'vitest';
import { readBrands } from '../src/pages/brands.ts';
import { QrCodes } from '../src/qr-codes/qr-codes.ts';

// The order, bounds and cache of QR codes. qr-code.test.ts has the codes themselves.

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

const QUERY: QrQuery = {
  format: 'png',
  size: 512,
  margin: 4,
  level: 'M',
  color: '#000000',
  background: '#ffffff',
  logo: 'false',
};

/** Each image is the number of codes that were drawn before it. */
function start() {
  const log: string[] = [];
  const codes = new QrCodes({
    brands: readBrands({}),
    logger: createLogger({ service: 'test', level: 'info' }, { write: (line) => void log.push(line) }),
    thread: new URL('./support/counting-qr-code-thread.ts', import.meta.url),
  });
  cleanups.push(() => codes.close());
  const draw = async (account: string, url: string, query: Partial<QrQuery> = {}) =>
    Number((await codes.image(account, { short_url: url, host: null }, { ...QUERY, ...query })).body);
  return { codes, draw, log };
}

describe('QR codes of an account', () => {
  test('are refused beyond 128 that wait; those of others are not, and are drawn before them', async () => {
    const { draw } = start();
    // On a busy machine, the thread may take longer to start than a code waits.
    await draw('first', 'first');
    const attack = Array.from({ length: 590 }, (_, n) => draw('attacker', `attack ${n}`));
    const others = ['a', 'b', 'c'].map((account) => draw(account, account));
    const [outcomes, drawn] = await Promise.all([Promise.allSettled(attack), Promise.all(others)]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    // The first two do not wait.
    expect(refused.length).toBe(590 - 2 - 128);
    for (const one of refused) expect(one).toMatchObject({ reason: { code: 'unavailable', retryAfterSeconds: 1 } });
    expect(drawn).toEqual([3, 4, 5]);
  });

  test('are drawn once for the same parameters, also concurrently, and again for each other parameter', async () => {
    const { draw } = start();
    expect(await Promise.all([draw('a', 'x'), draw('a', 'x')])).toEqual([0, 0]);
    expect(await draw('a', 'x')).toBe(0);
    const others = [
      { format: 'svg' },
      { size: 513 },
      { margin: 5 },
      { level: 'L' },
      { color: '111111' },
      { background: '#dddddd' },
    ] as const;
    for (const [n, query] of others.entries()) expect(await draw('a', 'x', query)).toBe(n + 1);
    expect(await draw('a', 'y')).toBe(7);
    expect(await draw('a', 'x')).toBe(0);
  });
});

describe('the thread of QR codes', () => {
  test('is replaced when it dies; its codes are unavailable, and nothing of them is kept', async () => {
    const { draw, log } = start();
    const outcomes = await Promise.allSettled([draw('a', 'crash'), draw('a', 'x')]);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code)).toEqual([
      'unavailable',
      'unavailable',
    ]);
    expect(log.join()).toContain('crashed');
    expect(await draw('a', 'x')).toBe(0);
  });

  test('ends after the requested codes', async () => {
    const { codes, draw } = start();
    const images = Promise.all([draw('a', 'x'), draw('a', 'y'), draw('a', 'z')]);
    await codes.close();
    expect(await images).toEqual([0, 1, 2]);
  });
});
