import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BROWSERS, OPERATING_SYSTEMS } from '@waymark/contract';
import Bowser from 'bowser';
import { describe, expect, test } from 'vitest';
import { USER_AGENTS } from '../test/user-agents.ts';
import { readUserAgent } from './user-agent.ts';

const DEVICES = ['desktop', 'mobile', 'tablet', 'other'] as const;
const REASONS = ['bot', 'preview', 'library', 'empty_user_agent'] as const;

test.each(DEVICES)('a person on a device of the kind "%s"', (device) => {
  for (const [name, userAgent] of Object.entries(USER_AGENTS[device]))
    expect.soft(readUserAgent(userAgent), name).toMatchObject({ device, notCounted: null });
});

test.each(REASONS)('not counted: %s', (reason) => {
  for (const [name, userAgent] of Object.entries(USER_AGENTS[reason]))
    expect.soft(readUserAgent(userAgent).notCounted, name).toBe(reason);
});

const NAMES = [
  ['desktop', 'Firefox on Windows', 'Firefox', 'Windows'],
  ['desktop', 'Edge on Windows', 'Microsoft Edge', 'Windows'],
  ['desktop', 'Safari on macOS', 'Safari', 'macOS'],
  ['desktop', 'Chrome on ChromeOS', 'Chrome', 'Chrome OS'],
  ['desktop', 'Firefox on FreeBSD', 'Firefox', 'other'],
  ['desktop', 'Facebook for Windows without a browser', 'other', 'Windows'],
  ['desktop', 'Messenger for macOS without a browser', 'other', 'macOS'],
  ['mobile', 'MIUI Browser', 'Miui', 'Android'],
  ['mobile', 'Opera Touch on Android', 'Opera Touch', 'Android'],
  ['mobile', 'Opera Touch on iPhone', 'Opera Touch', 'iOS'],
  ['mobile', 'M BOT 551', 'Chrome', 'Android'],
  ['mobile', 'Facebook on Android', 'Chrome', 'Android'],
  ['mobile', 'Facebook on Android without a browser', 'other', 'Android'],
  ['mobile', 'Facebook on iPhone without a browser', 'other', 'iOS'],
  ['mobile', 'Facebook on iPhone, cut after the model', 'other', 'iOS'],
  ['mobile', 'Facebook on an old iPhone', 'other', 'iOS'],
  ['mobile', 'Messenger on iPhone without a browser', 'other', 'iOS'],
  ['mobile', 'Meta Business Suite on Android', 'other', 'Android'],
  ['tablet', 'Facebook on a Galaxy Tab without a browser', 'other', 'Android'],
  ['tablet', 'Facebook on iPad without a browser', 'other', 'iOS'],
  ['tablet', 'Facebook on iPad, cut after the model', 'other', 'iOS'],
  ['other', 'PlayStation 4', 'PlayStation 4', 'PlayStation 4'],
] as const;
test('each has a browser and an operating system', () => {
  for (const [device, name, browser, os] of NAMES)
    expect.soft(readUserAgent(USER_AGENTS[device][name]!), name).toMatchObject({ browser, os });
});

describe('the name of the carrier in the app of Facebook changes nothing', () => {
  const phone =
    'Mozilla/5.0 (Linux; Android 14; SM-A546B Build/UP1A; wv) AppleWebKit/537.36 Chrome/137.0 Mobile Safari/537.36';
  const tablet =
    'Mozilla/5.0 (Linux; Android 14; SM-X710 Build/UP1A; wv) AppleWebKit/537.36 Chrome/137.0 Safari/537.36';
  const iPhone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
  const apps: Record<string, [(carrier: string) => string, object]> = {
    'on an Android phone': [
      (carrier) => `[FBAN/FB4A;FBAV/500.0.0.1;FBCR/${carrier};FBPN/com.facebook.katana;FBDV/SM-A546B;FBSV/14;]`,
      { device: 'mobile', browser: 'other', os: 'Android' },
    ],
    'on an Android tablet': [
      (carrier) => `[FBAN/FB4A;FBAV/500.0.0.1;FBCR/${carrier};FBPN/com.facebook.katana;FBDV/SM-X710;FBSV/14;]`,
      { device: 'tablet', browser: 'other', os: 'Android' },
    ],
    'on an iPhone': [
      (carrier) =>
        `[FBAN/FBIOS;FBAV/500.0.0.1;FBDV/iPhone14,5;FBMD/iPhone;FBSN/iOS;FBSV/18.5;FBCR/${carrier};FBID/phone;FBLC/en_US]`,
      { device: 'mobile', browser: 'other', os: 'iOS' },
    ],
    'on an iPad': [
      (carrier) =>
        `[FBAN/FBIOS;FBAV/500.0.0.1;FBCR/${carrier};FBDV/iPad13,18;FBMD/iPad;FBSN/iPadOS;FBSV/18.5;FBID/tablet;FBLC/en_US]`,
      { device: 'tablet', browser: 'other', os: 'iOS' },
    ],
    'on Windows': [
      (carrier) => `[FBAN/FBW;FBAV/180.3;FBDV/WindowsDevice;FBSN/Windows;FBSV/10.0;FBCR/${carrier};FBID/desktop]`,
      { device: 'desktop', browser: 'other', os: 'Windows' },
    ],
    'in its browser on an Android phone': [
      (carrier) => `${phone} [FB_IAB/FB4A;FBAV/518.0.0.63.86;FBCR/${carrier};FBDV/SM-A546B;]`,
      { device: 'mobile', browser: 'Chrome', os: 'Android' },
    ],
    'in its browser on an Android tablet': [
      (carrier) => `${tablet} [FB_IAB/Orca-Android;FBAV/518.0.0.63.86;FBCR/${carrier};]`,
      { device: 'tablet', browser: 'Chrome', os: 'Android' },
    ],
    'in its browser on an iPhone': [
      (carrier) => `${iPhone} [FBAN/FBIOS;FBAV/519.0;FBDV/iPhone15,2;FBMD/iPhone;FBSN/iOS;FBCR/${carrier};FBID/phone]`,
      { device: 'mobile', browser: 'Safari', os: 'iOS' },
    ],
  };
  const carriers = [
    ...[
      '',
      ' ',
      '-',
      'Bluecell',
      'Blue Cell',
      'Blue Mobile',
      'BlueMobile',
      'T-Mobile',
      'Vodafone.de',
      'o2 - de+',
      'E-Plus',
    ],
    ...[
      'Google Fi',
      'Scan Net',
      'Monitor Tel',
      'Robot Bot',
      'Twitterbot',
      'WhatsApp/2',
      'curl/8',
      'https://tel.example/',
    ],
    ...['Tablet Tel', 'iPad', 'Windows Phone', 'Android TV', 'Macintosh', 'PlayStation 4', 'OPT/2.9', 'MiuiBrowser/1'],
    ...['中国移动', 'مخابرات', 'Tele (2)', 'A|B', 'A] B Mobile', 'x'.repeat(60), 'x '.repeat(30)],
  ];
  test.each(Object.entries(apps))('%s', (_name, [userAgentOf, client]) => {
    for (const carrier of carriers)
      expect.soft(readUserAgent(userAgentOf(carrier)), carrier).toEqual({ ...client, notCounted: null });
  });
});

describe('each name that the parser can give belongs to the lists of the contract', () => {
  const source = (file: string) =>
    readFileSync(createRequire(import.meta.url).resolve(`bowser/src/${file}.js`), 'utf8');

  test('of browsers', () => {
    const names = [...source('parser-browsers').matchAll(/name: (.+),$/gm)]
      .flatMap(([, value]) => [...value!.matchAll(/'([^']+)'/g)])
      .map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(60);
    expect(BROWSERS).toEqual(expect.arrayContaining([...names, ...Object.values(Bowser.BROWSER_MAP)]));
  });

  test('of operating systems', () => {
    const values = [...source('parser-os').matchAll(/name: (.+),$/gm)].map(([, value]) => value!);
    expect(values.length).toBeGreaterThan(10);
    for (const value of values) expect(value).toMatch(/^OS_MAP\.\w+$/);
    expect(OPERATING_SYSTEMS).toEqual(expect.arrayContaining(Object.values(Bowser.OS_MAP)));
  });

  test('and so does each name that a person gets', () => {
    for (const device of DEVICES)
      for (const userAgent of Object.values(USER_AGENTS[device])) {
        const { browser, os } = readUserAgent(userAgent);
        expect(BROWSERS).toContain(browser);
        expect(OPERATING_SYSTEMS).toContain(os);
      }
  });
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
