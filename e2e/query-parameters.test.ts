import type { AccountKeys } from '@waymark/contract';
import { expect, test } from 'vitest';
import { api, createAccount, createLink, request, signIn } from './support/world.ts';

// docs/api.md, Errors: a query parameter that the path does not have is 422, and the request does nothing.

test('every path without query parameters refuses one, and does nothing', async () => {
  const account = await createAccount();
  const link = await createLink(account.live, {});
  const session = await signIn(account.username);
  const list = () => api(account.live).list('?archived=any');
  const keys = () => request<AccountKeys>('/api/v1/me/keys', { key: session });
  const [links, { body }] = [(await list()).body, await keys()];
  const deletion = { operations: [{ op: 'delete', id: link.id }] };
  for (const [method, path, json] of [
    ['GET', '/api/v1/me'],
    ['POST', '/api/v1/links', { destination_url: 'https://example.com/' }],
    ['GET', `/api/v1/links/${link.id}`],
    ['PUT', `/api/v1/links/${link.id}`, { title: 'changed' }],
    ['DELETE', `/api/v1/links/${link.id}`],
    ['POST', '/api/v1/links/bulk', deletion],
    ['GET', '/api/v1/me/keys'],
    ['POST', '/api/v1/me/keys/full_access/rotate'],
    ['DELETE', '/api/v1/me/keys/public_links_only'],
    ['POST', '/api/v1/sessions', { token: 'x' }],
    ['DELETE', '/api/v1/sessions/current'],
  ] as const) {
    const answer = await request(`${path}?dry_run=true`, { method, key: session, json });
    expect([method, path, answer.status, answer.body]).toEqual([
      method,
      path,
      422,
      { error: '"dry_run" is not a known field; the known ones are none.' },
    ]);
  }
  expect((await list()).body).toEqual(links);
  expect((await keys()).body.keys.map(({ hint }) => hint)).toEqual(body.keys.map(({ hint }) => hint));
});
