import { describe, expect, test } from 'vitest';
import { USER_AGENTS } from '../../test/user-agents.ts';
import { readUserAgent } from './user-agent.ts';

const DEVICES = ['desktop', 'mobile', 'tablet', 'other'] as const;
const REASONS = ['bot', 'preview', 'library', 'empty_user_agent'] as const;

for (const device of DEVICES) {
  describe(`a person on a device of the kind "${device}"`, () => {
    test.each(Object.entries(USER_AGENTS[device]))('%s', (_name, userAgent) => {
      expect(readUserAgent(userAgent)).toMatchObject({ device, notCounted: null });
    });
  });
}

for (const reason of REASONS) {
  describe(`not counted: ${reason}`, () => {
    test.each(Object.entries(USER_AGENTS[reason]))('%s', (_name, userAgent) => {
      expect(readUserAgent(userAgent).notCounted).toBe(reason);
    });
  });
}

test.each([
  ['Firefox on Windows', 'Firefox', 'Windows'],
  ['Edge on Windows', 'Microsoft Edge', 'Windows'],
  ['Safari on macOS', 'Safari', 'macOS'],
  ['Chrome on ChromeOS', 'Chrome', 'Chrome OS'],
  ['Firefox on FreeBSD', 'Firefox', 'other'],
])('%s is %s on %s', (name, browser, os) => {
  expect(readUserAgent(USER_AGENTS.desktop[name]!)).toMatchObject({ browser, os });
});

test('what a visitor makes up is no name of a browser or an operating system', () => {
  expect(readUserAgent('My own words/1.0 (Their System 5)')).toMatchObject({ browser: 'other', os: 'other' });
});

test('the table has at least 80 real User-Agents, none of them twice', () => {
  const all = Object.values(USER_AGENTS).flatMap((table) => Object.values(table));
  expect(all.length).toBeGreaterThanOrEqual(80);
  expect(new Set(all).size).toBe(all.length);
});

describe('no User-Agent costs many times what an ordinary one costs', () => {
  const LENGTH = 500;
  let calls = 0;
  /** Returns the shortest of five runs, in milliseconds. Each run has a new text, so that nothing is cached. */
  function costOf(userAgent: string): number {
    let least = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 5; run++) {
      const text = `${++calls} ${userAgent}`;
      const startedAt = performance.now();
      readUserAgent(text);
      least = Math.min(least, performance.now() - startedAt);
    }
    return least;
  }
  const filled = (start: string, piece: string) => start + piece.repeat(LENGTH / piece.length);
  const texts = Object.values(USER_AGENTS).flatMap((table) => Object.values(table));
  const words = new Set(texts.flatMap((text) => text.split(/[^A-Za-z]+/)).filter((word) => word !== ''));
  const characters = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n));

  test.each([
    ['each character, again and again', characters.map((character) => filled('', character))],
    ['each word of a User-Agent, again and again', [...words].map((word) => filled('', `${word} `))],
    ['each word, then digits', [...words].map((word) => filled(`${word} `, '7011'))],
    ['a phone of Archos that never ends', [filled('archos ', '7011'), filled('Mozilla/5.0 (X11) archos venue', '1')]],
    [
      'Android, again and again',
      [filled('', 'droid '), filled('', 'droid; a bui'), filled('', 'Android 1; a) AppleW')],
    ],
  ])('%s', (_name, hostile) => {
    const ordinary = Math.max(...texts.map(costOf));
    expect(Math.max(...hostile.map(costOf)) / ordinary).toBeLessThan(50);
  });
});
