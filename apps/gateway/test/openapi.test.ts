import { createConfig, lintFromString } from '@redocly/openapi-core';
import {
  Account,
  AccountKeys,
  AddHostInput,
  AddPasskeyInput,
  Analytics,
  AnalyticsQuery,
  AutoMeta,
  BulkInput,
  BulkResults,
  CreateLinkInput,
  CreateRestrictedKeyInput,
  CreateSessionInput,
  CreateWebhookInput,
  Deliveries,
  EventList,
  HashtagList,
  Host,
  Hosts,
  ImportAnswer,
  Job,
  JobInput,
  JobList,
  Link,
  LinkList,
  ListLinksQuery,
  NewKey,
  NewRestrictedKey,
  NewWebhook,
  openApiDocument,
  Passkey,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  PasskeySignInInput,
  Passkeys,
  ReplayInput,
  RestrictedKey,
  RestrictedKeys,
  RotateKeyInput,
  SavedFilter,
  SavedFilters,
  SaveFilterInput,
  Session,
  SessionAccounts,
  SwitchSessionInput,
  UpdateHostInput,
  UpdateLinkInput,
  UpdateWebhookInput,
  validator,
  Webhook,
  WebhookClicks,
  WebhookEvent,
  Webhooks,
} from '@waymark/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const document = openApiDocument('https://go.example');

test('GET /openapi.json (OpenAPI 3.1), without a key', async () => {
  const response = await gateway.get('/openapi.json');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await response.json()).toEqual(document);
});

type Json = Record<string, unknown>;
interface Operation {
  operationId: string;
  security?: unknown[];
  parameters?: { name: string; example?: unknown; schema: Json }[];
  requestBody?: {
    content: Record<string, { schema: Json; example?: unknown; examples?: Record<string, { value: unknown }> }>;
  };
  responses: Record<string, Json>;
}
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({ name: `${method} ${path}`, path, ...(operation as Operation) })),
);

test('the document passes the linter', async () => {
  // The response to a correct password is 303, which the first rule does not accept as a success. The second one takes
  // `restricted` for a scope of `/me/keys/{scope}/rotate`.
  const rules = { 'operation-2xx-response': 'off', 'no-ambiguous-paths': 'off' } as const;
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`)).toEqual(
    [],
  );
});

test('the document has every operation of the contract', () => {
  expect(operations.map(({ name, operationId }) => `${name} ${operationId}`)).toEqual([
    'get /api/v1/me getMe',
    'get /api/v1/me/accounts listSessionAccounts',
    'get /api/v1/me/keys listKeys',
    'post /api/v1/me/keys/{scope}/rotate rotateKey',
    'delete /api/v1/me/keys/{scope} revokeKey',
    'get /api/v1/me/keys/restricted listRestrictedKeys',
    'post /api/v1/me/keys/restricted createRestrictedKey',
    'delete /api/v1/me/keys/restricted/{id} deleteRestrictedKey',
    'get /api/v1/me/filters listSavedFilters',
    'post /api/v1/me/filters saveFilter',
    'delete /api/v1/me/filters/{id} deleteSavedFilter',
    'post /api/v1/me/passkeys/options createPasskeyOptions',
    'get /api/v1/me/passkeys listPasskeys',
    'post /api/v1/me/passkeys addPasskey',
    'delete /api/v1/me/passkeys/{id} deletePasskey',
    'post /api/v1/sessions createSession',
    'post /api/v1/sessions/passkey/options createSignInOptions',
    'post /api/v1/sessions/passkey createPasskeySession',
    'post /api/v1/sessions/switch switchSession',
    'delete /api/v1/sessions/current deleteCurrentSession',
    'get /api/v1/links listLinks',
    'post /api/v1/links createLink',
    'post /api/v1/links/bulk bulkEditLinks',
    'get /api/v1/links/export exportLinks',
    'get /api/v1/links/{id} getLink',
    'put /api/v1/links/{id} updateLink',
    'delete /api/v1/links/{id} deleteLink',
    'delete /api/v1/links/{id}/clicks deleteClicks',
    'get /api/v1/links/{id}/qr getQrCode',
    'get /api/v1/hashtags listHashtags',
    'get /api/v1/auto-meta readAutoMeta',
    'get /api/v1/events listEvents',
    'get /api/v1/analytics getAnalytics',
    'get /api/v1/clicks listClicks',
    'get /api/v1/jobs listJobs',
    'post /api/v1/jobs startJob',
    'post /api/v1/jobs/import startImport',
    'get /api/v1/jobs/{id} getJob',
    'get /api/v1/jobs/{id}/refused listRefused',
    'post /api/v1/jobs/{id}/cancel cancelJob',
    'post /api/v1/jobs/{id}/undo undoJob',
    'get /api/v1/hosts listHosts',
    'post /api/v1/hosts addHost',
    'get /api/v1/hosts/{id} getHost',
    'put /api/v1/hosts/{id} updateHost',
    'delete /api/v1/hosts/{id} deleteHost',
    'post /api/v1/hosts/{id}/verify verifyHost',
    'get /api/v1/webhooks listWebhooks',
    'post /api/v1/webhooks createWebhook',
    'get /api/v1/webhooks/{id} getWebhook',
    'put /api/v1/webhooks/{id} updateWebhook',
    'delete /api/v1/webhooks/{id} deleteWebhook',
    'post /api/v1/webhooks/{id}/rotate-secret rotateWebhookSecret',
    'post /api/v1/webhooks/{id}/test testWebhook',
    'post /api/v1/webhooks/{id}/replay replayWebhook',
    'get /api/v1/webhooks/{id}/deliveries listDeliveries',
    'get /{slug}+ showLink',
    'get /{slug} followLink',
    'head /{slug} probeLink',
    'post /{slug} unlockLink',
  ]);
});

test('each operation lists every status that it can return (docs/api.md, Errors)', () => {
  for (const operation of operations) {
    const statuses = Object.keys(operation.responses);
    const { name, path, requestBody } = operation;
    const expected = ['500', '503'];
    const isOpen = operation.security?.length === 0;
    if (path.startsWith('/api/')) expected.push('401', '422', '429', ...(isOpen ? [] : ['403']));
    if (path.includes('{')) expected.push('404');
    if (requestBody) expected.push('413', '422');
    for (const status of expected) expect(statuses, name).toContain(status);
    expect(statuses.some((status) => /^[23]/.test(status))).toBe(true);
    const signsIn = ['createSession', 'createSignInOptions', 'createPasskeySession'];
    expect(isOpen).toBe(!path.startsWith('/api/') || signsIn.includes(operation.operationId));
  }
});

test('every example is valid by its schema, which also validates requests', () => {
  const bodies = {
    SaveFilterInput,
    SavedFilter,
    SavedFilters,
    Account,
    AccountKeys,
    NewKey,
    Passkey,
    Passkeys,
    PasskeyCreationOptions,
    AddPasskeyInput,
    PasskeyRequestOptions,
    PasskeySignInInput,
    Host,
    Hosts,
    AddHostInput,
    UpdateHostInput,
    CreateSessionInput,
    Session,
    SessionAccounts,
    SwitchSessionInput,
    RotateKeyInput,
    RestrictedKey,
    RestrictedKeys,
    CreateRestrictedKeyInput,
    NewRestrictedKey,
    Link,
    LinkList,
    HashtagList,
    AutoMeta,
    EventList,
    Analytics,
    CreateLinkInput,
    UpdateLinkInput,
    BulkInput,
    BulkResults,
    KeyScope: Account.properties.key_scope,
    Job,
    JobInput,
    JobList,
    ImportAnswer,
    Webhook,
    Webhooks,
    CreateWebhookInput,
    UpdateWebhookInput,
    NewWebhook,
    ReplayInput,
    Deliveries,
    WebhookEvent,
    WebhookClicks,
  } as Record<string, Parameters<typeof validator>[0]>;
  let checked = 0;
  const check = (schema: Json, value: unknown) => {
    const name = String(schema.$ref ?? '')
      .split('/')
      .at(-1)!;
    if (name === 'Error') {
      expect(value).toEqual({ error: expect.stringMatching(/^\S.*\.$/s) });
    } else {
      expect(() => validator(bodies[name]!)(value), name).not.toThrow();
    }
    checked++;
  };
  const walk = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return;
    const { schema, example, examples } = node as { schema?: Json; example?: unknown; examples?: Record<string, Json> };
    if (schema?.$ref !== undefined) {
      if (example !== undefined) check(schema, example);
      for (const { value } of Object.values(examples ?? {})) check(schema, value);
    }
    for (const inner of Object.values(node)) walk(inner);
  };
  walk(document);
  expect(checked).toBeGreaterThan(20);
});

test('the document has the parameters and components of the contract', () => {
  const list = operations.find(({ operationId }) => operationId === 'listLinks')!;
  expect(list.parameters!.map(({ name }) => name)).toEqual(Object.keys(ListLinksQuery.properties));
  const analytics = operations.find(({ operationId }) => operationId === 'getAnalytics')!;
  expect(analytics.parameters!.map(({ name }) => name)).toEqual(Object.keys(AnalyticsQuery.properties));
  const { schemas } = document.components as { schemas: Record<string, { properties: Json }> };
  expect(Object.keys(schemas.Link!.properties)).toEqual(Object.keys(Link.properties));
  expect(schemas.Link!.properties.clicks).toEqual(JSON.parse(JSON.stringify(Link.properties.clicks)));
  expect((schemas.LinkList!.properties.links as { items: unknown }).items).toEqual({
    $ref: '#/components/schemas/ListedLink',
  });
});
