import type { AccountEvent } from '@waymark/contract';
import { expect, test, vi } from 'vitest';

vi.mock('../page-facts.ts', () => ({ PUBLIC_URL: 'https://go.example' }));

const { actorText, changesOf, subjectOf } = await import('./event-words.ts');

const event = (type: AccountEvent['type'], data: object): AccountEvent => ({
  id: 'a',
  type,
  created_at: '2026-11-21T09:30:00.000Z',
  data: { ...data },
});
const NO_KEY = { scope: null, hint: null, name: null };

test('says who made a change: a key by its hint and name, a person, the command line, or the service', () => {
  const key = { kind: 'key', scope: 'full_access', hint: '…x9Kd', name: null } as const;
  expect(actorText(key)).toBe('the Full Access key …x9Kd');
  expect(actorText({ ...key, name: 'Newsletter agent' })).toBe('the key Newsletter agent …x9Kd');
  expect(actorText({ ...key, hint: null })).toBe('the Full Access key');
  expect(actorText({ kind: 'session', ...NO_KEY, name: 'Ada Lovelace' })).toBe('Ada Lovelace');
  expect(actorText({ kind: 'session', ...NO_KEY })).toBe('somebody in the dashboard');
  expect(actorText({ kind: 'admin', ...NO_KEY })).toBe('the command line');
  expect(actorText({ kind: 'system', ...NO_KEY })).toBe('Waymark');
});

test('names what an event is about, and leads to it while it exists', () => {
  const link = { id: 'l', slug: 'sale', host: null };
  expect(subjectOf(event('link.updated', { link }))).toEqual({ name: 'sale', path: '/links/l' });
  expect(subjectOf(event('link.deleted', { link: { ...link, host: 'xn--gre-6ka8l.example' } }))).toEqual({
    name: 'grüße.example/sale',
    path: null,
  });
  expect(subjectOf(event('link.deleted', { link: { id: 'l' } }))).toEqual({ name: 'l', path: null });
  expect(subjectOf(event('host.added', { host: { host: 'go.example.com' } }))).toEqual({
    name: 'go.example.com',
    path: '/hosts',
  });
  const scope = 'public_links_only';
  expect(subjectOf(event('key.rotated', { scope, hint: '…x9Kd' }))!.name).toBe('Public Links Only key …x9Kd');
  expect(subjectOf(event('key.created', { scope, hint: '…x9Kd', id: 'k', name: 'Agent' }))!.name).toBe('Agent …x9Kd');
  expect(subjectOf(event('passkey.added', { passkey: { id: 'p', name: 'Laptop' } }))!.name).toBe('Laptop');
  expect(subjectOf(event('session.started', {}))).toBeNull();
});

test('shows each changed value in words, and of what no log keeps only that it changed', () => {
  const changes = {
    title: { from: null, to: 'Sale' },
    hashtags: { from: ['old', 'sale'], to: [] },
    visibility: { from: 'password-protected', to: 'public' },
    archived: { from: false, to: true },
    host: { from: null, to: 'go.example.com' },
    max_clicks: { from: null, to: 10 },
    rules: { from: [], to: [{}, {}] },
    note: {},
    password: {},
    a_new_field: { from: { a: 1 }, to: 'b' },
  };
  const shown = changesOf(event('link.updated', { link: { id: 'l' }, changes })).map(({ label, values }) =>
    values === null ? label : `${label}: ${values.from} → ${values.to}`,
  );
  expect(shown).toEqual([
    'Title: nothing → Sale',
    'Hashtags: #old #sale → nothing',
    'Visibility: Password-protected → Public',
    'Archived: no → yes',
    'Host: the default host → go.example.com',
    'Clicks at most: nothing → 10',
    'Rules: nothing → 2 rules',
    'Note',
    'Password',
    'a_new_field: {"a":1} → b',
  ]);
  const edited = { rules: { from: [{ a: 1 }], to: [{ a: 2 }] } };
  expect(changesOf(event('link.updated', { changes: edited }))[0]!.values).toBeNull();
  expect(changesOf(event('account.plan_changed', { from: null, to: 'developer' }))[0]!.values).toEqual({
    from: 'nothing',
    to: 'developer',
  });
});
