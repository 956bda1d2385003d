import Type from 'typebox';
import { expect, test } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { limitsConfig } from './limits-config.ts';

const read = (REDIS_URL: string) => loadConfig(Type.Object(limitsConfig), { REDIS_URL }).REDIS_URL;

test.each([
  'redis://cache',
  'redis://cache:6380/',
  'rediss://user:p%40ss@cache.example:6379/2',
  'redis://:secret@[::1]:6379',
])('REDIS_URL may be %s', (url) => {
  expect(read(url)).toBe(url);
});

test.each([
  'cache:6379',
  'http://cache',
  'redis://',
  'redis://cache/waymark',
  'redis://u:%zz@cache',
  'redis://hunter2@cache:port',
])('REDIS_URL may not be %s, and the error does not repeat it', (url) => {
  expect(() => read(url)).toThrow(/^REDIS_URL \(or REDIS_URL_FILE\) must be a URL that begins with redis:\/\/ or red/);
  expect(() => read(url)).not.toThrow(/hunter2/);
});

test('REDIS_URL is optional', () => {
  expect(loadConfig(Type.Object(limitsConfig), {}).REDIS_URL).toBeUndefined();
});
