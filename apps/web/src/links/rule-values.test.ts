import { BROWSERS, DEVICES, isCountry, OPERATING_SYSTEMS, type Rule } from '@waymark/contract';
import { expect, test } from 'vitest';
import { CHOICES, languages } from './choices.ts';
import { ruleOf, ruleText, ruleValuesOf } from './rule-values.ts';

const RULE: Rule = {
  to: 'https://example.com/app',
  device: ['mobile', 'tablet'],
  os: ['Chrome OS'],
  browser: ['Samsung Internet for Android'],
  country: ['DE', 'unknown'],
  language: 'de',
  from: '2027-06-01T00:00:30.123Z',
  until: '2027-09-01T00:00:00Z',
  share: 50,
};

test('a rule that was not edited is sent as it was, with its seconds', () => {
  expect(ruleOf(ruleValuesOf(RULE), 0)).toEqual(RULE);
});

test('what is empty is no condition, and names are taken in any case, with or without a comma at the end', () => {
  const values = { ...ruleValuesOf(null), to: 'x', country: 'germany, at, Atlantis, DE,', os: 'ios , ', share: '0' };
  expect(ruleOf(values, 0)).toEqual({ to: 'x', country: ['DE', 'AT', 'Atlantis'], os: ['iOS'], share: 0 });
  expect(ruleOf(ruleValuesOf(null), 0)).toEqual({ to: '' });
});

test('what the lists offer is what the API accepts: all devices, systems and countries, and the browsers of people', () => {
  const values = (name: keyof typeof CHOICES) => CHOICES[name].map(({ value }) => value).sort();
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
  const countries = letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry);
  expect(values('country')).toEqual([...countries, 'unknown'].sort());
  expect(values('device')).toEqual([...DEVICES].sort());
  expect(values('os')).toEqual([...OPERATING_SYSTEMS].sort());
  expect(values('browser').filter((name) => !(BROWSERS as readonly string[]).includes(name))).toEqual([]);
  expect(languages('xx').map(({ value }) => value)).toContain('xx');
});

test('a rule is said in words', () => {
  const text = ruleText({ ...ruleValuesOf(RULE), browser: '', from: '', until: '' });
  expect(text).toBe('mobile or tablet, Chrome OS, Germany or unknown, German first, 50 % of the visitors of a day');
  expect(ruleText(ruleValuesOf(null))).toBe('Nobody yet: a rule needs a condition');
});
