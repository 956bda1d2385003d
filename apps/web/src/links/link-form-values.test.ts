import type { Link } from '@waymark/contract';
import { expect, test, vi } from 'vitest';
import { mergeHashtags } from '../hashtags/hashtag-text.ts';
import { cleanEdits, createInput, updateInput, valuesOf } from './link-form-values.ts';
import { ruleValuesOf } from './rule-values.ts';

const link = {
  destination_url: 'https://example.com/',
  slug: 'sale',
  title: 'Sale',
  description: null,
  note: 'n',
  hashtags: ['a', 'b'],
  visibility: 'password-protected',
  expires_at: '2030-05-06T07:08:09.123Z',
  expired_url: null,
} as Link;

test('a creation sends what is filled in, and nothing else', () => {
  const empty = valuesOf(null);
  expect(createInput({ ...empty, destination_url: 'https://example.com/' })).toEqual({
    destination_url: 'https://example.com/',
  });
  expect(createInput({ ...empty, hashtags: ' a,b  #c ', visibility: 'unlisted' })).toEqual({
    destination_url: '',
    hashtags: ['a', 'b', '#c'],
    visibility: 'unlisted',
  });
});

test('an update sends what changed; emptied texts are null', () => {
  const before = valuesOf(link);
  expect(updateInput(before, before)).toEqual({});
  expect(updateInput({ ...before, title: ' ', note: 'm', hashtags: '', expires_at: '' }, before)).toEqual({
    title: null,
    note: 'm',
    hashtags: [],
    expires_at: null,
  });
});

test('a time that is not changed keeps its seconds; a changed one is the moment in the zone of the browser', () => {
  const before = valuesOf(link);
  const later = updateInput({ ...before, expires_at: '2031-01-02T03:04' }, before).expires_at;
  expect(later).toBe(new Date(2031, 0, 2, 3, 4).toISOString());
  expect(valuesOf({ ...link, expires_at: later! } as Link).expires_at).toBe('2031-01-02T03:04');
});

test('a time in the hour that the clocks skip is refused, on both sides it is not', () => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  const before = valuesOf(null);
  const input = (expires_at: string) => () => updateInput({ ...before, expires_at }, before).expires_at;
  expect(input('2027-03-28T02:30')).toThrow('Choose another time');
  expect(input('2027-03-28T01:59')()).toBe('2027-03-28T00:59:00.000Z');
  expect(input('2027-03-28T03:00')()).toBe('2027-03-28T01:00:00.000Z');
  vi.unstubAllEnvs();
});

test.each([
  [
    ['a', '#C', 'b'],
    ['a', 'b'],
    ['a', 'b'],
    ['a', 'c', 'b'],
  ],
  [
    ['a', 'c'],
    ['a', 'b'],
    ['a', 'b', 'd'],
    ['a', 'c', 'd'],
  ],
  [['a', 'b', 'c'], ['a', 'b'], ['b'], ['b', 'c']],
  [[], ['a'], ['d', 'a'], ['d']],
  [['D'], [], ['d'], ['d']],
])('with %j in a form that began with %j, a link with %j gets %j', (entered, before, now, merged) => {
  expect(mergeHashtags(entered, before, now)).toEqual(merged);
});

test('a password is sent only when one is typed, and only with the visibility that needs it', () => {
  const before = valuesOf(link);
  expect(updateInput({ ...before, password: 'x' }, before)).toEqual({ password: 'x' });
  expect(updateInput({ ...before, password: 'x', visibility: 'public' }, before)).toEqual({ visibility: 'public' });
});

test('what came with a pasted URL goes, but not from what was not edited', () => {
  const before = valuesOf({ ...link, destination_url: 'https://example.com/\u200b', expired_url: '"' } as Link);
  expect(cleanEdits(before, before)).toEqual(before);
  const rule = ruleValuesOf({ to: 'https://example.com/"', device: ['mobile'] });
  const pasted = {
    ...before,
    destination_url: '<example.com/a>',
    expired_url: ' //b.example ',
    slug: 'wm.ex/c ',
    social_image_url: 'example.com/a.png',
    rules: [{ ...rule, to: 'example.org' }],
  };
  expect(cleanEdits(pasted, before)).toEqual({
    ...pasted,
    destination_url: 'https://example.com/a',
    expired_url: 'https://b.example',
    slug: 'c',
    social_image_url: 'https://example.com/a.png',
    rules: [{ ...rule, to: 'https://example.org' }],
  });
});

test('limits, codes and cards are sent as the API has them, and only if they changed', () => {
  const before = valuesOf({
    ...link,
    max_clicks: 5,
    redirect_code: 301,
    social_title: 'S',
    rules: [],
  } as unknown as Link);
  expect(updateInput(before, before)).toEqual({});
  const changed = { ...before, max_clicks: '7', redirect_code: '308', social_title: '', social_description: ' d ' };
  expect(updateInput(changed, before)).toEqual({
    max_clicks: 7,
    redirect_code: 308,
    social_title: null,
    social_description: 'd',
  });
  expect(updateInput({ ...before, max_clicks: '' }, before)).toEqual({ max_clicks: null });
});
