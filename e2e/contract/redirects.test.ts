import { expect, test } from 'vitest';
import { api, BROWSER, createAccount, createLink, follow, request } from '../support/world.ts';

// docs/api.md, Redirects: what the gateway in front could spoil. apps/links-svc/test/redirects.test.ts has the rules,
// apps/gateway/test/long-locations.test.ts the longest destinations.

const form = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': BROWSER };

test('private, deleted and unknown links give identical responses', async () => {
  const { live } = await createAccount();
  const hidden = await createLink(live, { visibility: 'private' });
  const gone = await createLink(live, {});
  await api(live).delete(gone.id);
  for (const accept of ['text/html', '*/*', 'application/json']) {
    const answers = await Promise.all(
      [hidden.slug, gone.slug, 'never-was-there'].map((slug) => follow(slug, { accept })),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(answers[2]!.body);
      const names = [...answer.headers.keys()].filter((name) => name !== 'date');
      expect(names).toEqual([...answers[2]!.headers.keys()].filter((name) => name !== 'date'));
    }
    expect(answers[0]!.headers.get('content-type')).toMatch(
      accept === 'text/html' ? /^text\/html/ : /^application\/json/,
    );
  }
});

test('wrong passwords are limited for each link and address: 10 in a minute by default, then 429', async () => {
  const { live } = await createAccount();
  const link = await createLink(live, { password: 'sesame' });
  const statuses = [];
  for (let n = 0; n < 12; n += 1)
    statuses.push((await request(`/${link.slug}`, { method: 'POST', body: 'password=x', headers: form })).status);
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(403));
  expect(statuses.slice(10)).toEqual([429, 429]);
});
