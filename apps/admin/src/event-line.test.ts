import type { AccountEvent } from '@waymark/contract';
import { expect, test } from 'vitest';
import { lineOf } from './event-line.ts';

const actor = { kind: 'system', scope: null, hint: null, name: null } as const;

test.each<[AccountEvent['data'], string]>([
  [{ link: { id: 'id-1', slug: 'sale' }, changes: { title: {}, note: {} } }, 'id-1 sale (title, note)'],
  [{ link: { id: 'id-1' } }, 'id-1'],
  [{ host: { id: 'h', host: 'go.example.com' } }, 'go.example.com'],
  [{ passkey: { id: 'p', name: 'Phone' } }, 'Phone'],
  [{ webhook: { id: 'w-1', url: 'https://example.com/\u202ehook' } }, 'w-1 https://example.com/%E2%80%AEhook'],
  [{ scope: 'full_access', hint: '…x9Kd' }, '…x9Kd'],
  [{ scope: 'full_access', hint: '…x9Kd', id: 'k', name: 'Pipeline' }, '…x9Kd Pipeline'],
  [{ from: 'starter', to: 'business' }, 'starter -> business'],
  [{ from: null, to: 'developer' }, '-> developer'],
  [{}, ''],
])('the line of an event shows its subject: %j', (data, about) => {
  const event: AccountEvent = { id: 'e', type: 'link.updated', created_at: '2026-11-21T09:30:00.000Z', actor, data };
  const line = `2026-11-21T09:30:00.000Z  e  link.updated          system  ${about}`;
  expect(lineOf(event)).toBe(line.trimEnd());
});
