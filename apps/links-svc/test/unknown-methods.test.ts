import { afterAll, beforeAll, expect, test } from 'vitest';
import { Service, type TestAccount } from './support/service.ts';

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await Service.start();
  account = await service.createAccount();
});
afterAll(() => service.close());

test.each([
  ['PATCH', '/api/v1/links/019a4f0e', 'Not found: this path does not support PATCH, only GET, HEAD, PUT and DELETE.'],
  [
    'PATCH',
    '/api/v1/links/019a4f0e/?x=1',
    'Not found: this path does not support PATCH, only GET, HEAD, PUT and DELETE.',
  ],
  ['PUT', '/api/v1/links', 'Not found: this path does not support PUT, only GET, HEAD and POST.'],
  ['POST', '/api/v1/me/', 'Not found: this path does not support POST, only GET and HEAD.'],
])('the 404 for an unsupported method names the supported ones: %s %s', async (method, path, error) => {
  for (const body of [{}, undefined]) {
    const answer = await service.request(account.live, method, path, { body });
    expect([answer.status, answer.body]).toEqual([404, { error }]);
  }
});

test('requests without an identity cannot find out which paths exist', async () => {
  for (const [method, path] of [
    ['PATCH', '/api/v1/links/019a4f0e'],
    ['PUT', '/api/v1/links'],
    ['POST', '/api/v1/me'],
  ] as const)
    expect((await service.request(null, method, path)).status).toBe(401);
  const unknown = await service.request(null, 'PATCH', '/api/v1/nothing');
  expect([unknown.status, unknown.body]).toEqual([
    404,
    { error: 'Not found: this path does not exist or does not support this method.' },
  ]);
});
