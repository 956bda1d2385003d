import { expect, test } from 'vitest';
import { grantsOf, parseAccessRule } from './access.ts';

test.each([
  ['marketing=acme:editor', { group: 'marketing', username: 'acme', role: 'editor' }],
  ['*=acme:viewer', { group: '*', username: 'acme', role: 'viewer' }],
  ['/teams/a b=Acme-1.x:owner', { group: '/teams/a b', username: 'Acme-1.x', role: 'owner' }],
  ['CN=x:y=acme:owner', { group: 'CN=x:y', username: 'acme', role: 'owner' }],
])('%s is an entry of OIDC_ACCESS', (text, rule) => {
  expect(parseAccessRule(text)).toEqual(rule);
});

test.each([
  '',
  'marketing',
  'marketing=acme',
  '=acme:editor',
  'marketing=:editor',
  'marketing=acme:',
  'marketing=acme:admin',
  'marketing=acme:Editor',
  'marketing=-acme:editor',
  'marketing=ac me:editor',
  `marketing=${'a'.repeat(65)}:editor`,
  'marketing:acme=editor',
])('%j is none', (text) => {
  expect(parseAccessRule(text)).toBeNull();
});

const RULES = [
  'writers=acme:editor',
  'platform=globex:owner',
  'leads=ACME:owner',
  '*=acme:viewer',
  '*=public:viewer',
].map((text) => parseAccessRule(text)!);

test('a person gets each account once, in the order of the entries, with the highest role of their groups', () => {
  expect(grantsOf(RULES, ['leads', 'writers', 'platform'])).toEqual([
    { username: 'acme', role: 'owner' },
    { username: 'globex', role: 'owner' },
    { username: 'public', role: 'viewer' },
  ]);
  expect(grantsOf(RULES, ['writers'])).toEqual([
    { username: 'acme', role: 'editor' },
    { username: 'public', role: 'viewer' },
  ]);
});

test('* is everybody, also without groups, and a group is compared as it is', () => {
  const everybody = [
    { username: 'acme', role: 'viewer' },
    { username: 'public', role: 'viewer' },
  ];
  expect(grantsOf(RULES, [])).toEqual(everybody);
  expect(grantsOf(RULES, ['Leads', 'lead', 'writers=acme:editor', ''])).toEqual(everybody);
  expect(grantsOf(RULES.slice(0, 3), ['*', 'nobody'])).toEqual([]);
});
