import {
  AccountOfKey,
  ANALYTICS_FIELDS,
  ANALYTICS_PARTS,
  Analytics,
  AppError,
  BUSY_MESSAGE,
  BulkToolResults,
  DeletedLink,
  EventList,
  HashtagList,
  INTERNAL_MESSAGE,
  Job,
  JobResult,
  LINK_NOT_FOUND_MESSAGE,
  Link,
  LinkList,
  messageWithWait,
  TOOLS,
  type ToolName,
  UNAVAILABLE_MESSAGE,
  validator,
} from '@waymark/contract';
import { bulkResultsToMessage, eventListToMessage, jobToMessage, linkToMessage } from '@waymark/proto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { DRY_RUN, EVENT, JOB, LINK, PNG, type ServiceOverrides } from './fake-services.ts';
import { modern, request } from './messages.ts';
import { identityHeader, type Stack } from './stack.ts';
import { startTestStack } from './test-stack.ts';

/** For each tool: its arguments, the input that the called service sees, and the schema of the result. */
const ANALYTICS_ARGUMENTS = {
  from: '2026-11-01',
  to: '2026-11-21',
  tz: 'Asia/Kathmandu',
  source: 'direct',
  link_id: LINK.id,
  hashtag: 'summer',
  device: 'mobile',
  country: 'DE',
  browser: 'Firefox',
  os: 'Android',
  host: 'default',
  language: 'de',
  utm_campaign: 'summer',
  utm_medium: 'email',
  utm_content: 'a',
  utm_term: 'b',
  include: ANALYTICS_PARTS.join(),
  cross: 'source,country',
  fields: ANALYTICS_FIELDS.join(),
  top: 5,
  top_by: 'growth',
};

const CALLS: Record<ToolName, { args: object; seen: object; schema: Parameters<typeof validator>[0] | null }> = {
  get_me: { args: {}, seen: {}, schema: AccountOfKey },
  list_links: {
    args: { q: 'ä %_\\ 😀', per: 7 },
    seen: { q: 'ä %_\\ 😀', archived: 'false', page: 1, per: 7, sort: 'created_at', dir: 'desc' },
    schema: LinkList,
  },
  get_link: { args: { id: LINK.id }, seen: { id: LINK.id }, schema: Link },
  create_link: {
    args: { destination_url: 'https://example.com/', title: null, note: '', hashtags: ['#A'], password: 'p' },
    seen: {
      destination_url: 'https://example.com/',
      note: '',
      hashtags: ['#A'],
      password: 'p',
      auto_meta: false,
    },
    schema: Link,
  },
  update_link: {
    args: { id: LINK.id, title: null, description: '', hashtags: [] },
    seen: { id: LINK.id, description: '', hashtags: [] },
    schema: Link,
  },
  delete_link: { args: { id: LINK.id }, seen: { id: LINK.id }, schema: DeletedLink },
  get_analytics: {
    args: { ...ANALYTICS_ARGUMENTS, days: null },
    seen: ANALYTICS_ARGUMENTS,
    schema: Analytics,
  },
  bulk_edit_links: {
    args: {
      operations: [
        { op: 'create', id: null, link: { destination_url: 'https://example.com/', title: null } },
        { op: 'update', id: LINK.id, link: { title: null, note: '', auto_meta: null } },
        { op: 'upsert', id: null, link: { slug: 'a', title: null, note: '', auto_meta: null } },
        { op: 'delete', id: LINK.id, link: null },
      ],
    },
    seen: {
      operations: [
        { op: 'create', link: { destination_url: 'https://example.com/', auto_meta: false } },
        { op: 'update', id: LINK.id, link: { note: '' } },
        { op: 'upsert', link: { slug: 'a', note: '', auto_meta: false } },
        { op: 'delete', id: LINK.id },
      ],
    },
    schema: BulkToolResults,
  },
  get_qr_code: { args: { id: LINK.id, size: 64 }, seen: { id: LINK.id, size: 64 }, schema: null },
  edit_links: {
    args: { kind: 'delete', filter: { q: 'a', hashtag: null, all: null }, change: null, dry_run: true },
    seen: { kind: 'delete', filter: { q: 'a' }, dry_run: true },
    schema: Job,
  },
  get_job: { args: { id: JOB.id }, seen: { id: JOB.id }, schema: JobResult },
  undo_job: { args: { id: JOB.id }, seen: { id: JOB.id }, schema: Job },
  list_hashtags: { args: {}, seen: {}, schema: HashtagList },
  list_events: {
    args: { after: 'e0', types: 'link.created, link.updated', link_id: null, limit: '5', dir: 'desc' },
    seen: { after: 'e0', types: 'link.created,link.updated', limit: 5, dir: 'desc' },
    schema: EventList,
  },
};

const ERAS = {
  2025: (name: string, args?: unknown) => ({
    body: request('tools/call', { name, ...(args !== undefined && { arguments: args }) }),
    headers: {},
  }),
  2026: (name: string, args?: unknown) =>
    modern('tools/call', { name, ...(args !== undefined && { arguments: args }) }),
};

async function callIn(era: keyof typeof ERAS, stack: Stack, name: string, args?: unknown, headers = {}) {
  const message = ERAS[era](name, args);
  const reply = await stack.post(message.body, { ...message.headers, ...headers });
  expect(reply.status).toBe(200);
  return reply.json.result;
}

test('get_link shows only the fields that are asked for', async () => {
  const stack = await startTestStack();
  const { structuredContent } = await callIn(2025, stack, 'get_link', { id: LINK.id, fields: 'slug, clicks' });
  expect(structuredContent).toEqual({ id: LINK.id, slug: LINK.slug, clicks: LINK.clicks });
});

test('get_job shows the first reasons of refusals', async () => {
  const stack = await startTestStack();
  const { structuredContent } = await callIn(2025, stack, 'get_job', { id: JOB.id });
  expect(structuredContent).toEqual({ ...JOB, refusals: [{ id: LINK.id, reason: 'No.' }] });
});

test('get_job shows links that a dry run would change', async () => {
  const stack = await startTestStack();
  const { structuredContent } = await callIn(2025, stack, 'get_job', { id: DRY_RUN.id });
  expect(structuredContent).toEqual({ ...DRY_RUN, refusals: [], examples: [LINK] });
  validator(JobResult)(structuredContent);
});

test('list_events shows as many events as a model can read, goes on after them, and shortens a long one', async () => {
  const rules = Array.from({ length: 20 }, () => ({ to: `https://example.com/${'x'.repeat(2_000)}` }));
  const long = { link: { id: 'l1', rules }, changes: { rules: { from: [], to: rules }, note: {} } };
  const some = { link: { id: 'l2', description: 'd'.repeat(1_000) } };
  const events = [long, ...Array.from({ length: 99 }, () => some)].map((data, n) => ({ ...EVENT, id: `e${n}`, data }));
  const list = { events, next: 'end', notice: 'More.' };
  const stack = await startTestStack({ events: { listEvents: async () => eventListToMessage(list) } });
  const { structuredContent } = await callIn(2025, stack, 'list_events', { limit: 100 });
  expect(Buffer.byteLength(JSON.stringify(structuredContent)) / 3).toBeLessThan(25_000);
  expect(structuredContent.events[0].data).toEqual({ link: { id: 'l1' }, changes: { rules: {}, note: {} } });
  const shown = structuredContent.events.length;
  expect(structuredContent.events.slice(1)).toEqual(events.slice(1, shown));
  expect(structuredContent.next).toBe(`e${shown - 1}`);
  expect(structuredContent.notice).toBe(
    `More. Long events have only the id of their link, and which fields changed. Only the first ${shown} of 100 fit into this result.`,
  );
});

describe('a result with long texts is below 25,000 tokens, and says what is cut:', () => {
  // A token is about three bytes.
  const tokensOf = (json: object) => Buffer.byteLength(JSON.stringify(json)) / 3;
  const URL_OF_EMOJI = `https://example.com/${'😀'.repeat(2_028)}`;
  const LONG_LINK: Link = {
    ...LINK,
    ...{ destination_url: URL_OF_EMOJI, expired_url: URL_OF_EMOJI, title: '\n'.repeat(200), note: '😀'.repeat(5_000) },
    ...{ description: '😀'.repeat(1_000), hashtags: Array.from({ length: 20 }, (_, n) => `${'好'.repeat(46)}${n}`) },
  };
  const reason = `"destination_url" must be ${URL_OF_EMOJI}.`;
  const unused_columns = Array.from({ length: 1_000 }, (_, n) => `${'好'.repeat(100)} ${n}`);
  const LONG_JOB: Job = { ...JOB, title: '😀'.repeat(200), format: 'bitly', encoding: 'utf-8', unused_columns };

  test.each<[ToolName, object, ServiceOverrides]>([
    [
      'get_job',
      { id: JOB.id },
      {
        jobs: {
          getJob: async () => ({
            job: jobToMessage({ ...LONG_JOB, dry_run: true }),
            refusals: Array.from({ length: 20 }, () => ({ id: LINK.id, reason })),
            examples: Array.from({ length: 5 }, () => linkToMessage(LONG_LINK)),
          }),
        },
      },
    ],
    [
      'bulk_edit_links',
      { operations: Array.from({ length: 100 }, () => ({ op: 'delete', id: 'x' })) },
      {
        links: {
          bulkEditLinks: async () =>
            bulkResultsToMessage(
              Array.from({ length: 100 }, (_, n) =>
                n % 2 ? { status: 422, error: reason } : { status: 200, link: LONG_LINK },
              ),
            ),
        },
      },
    ],
  ])('%s', async (name, args, overrides) => {
    const stack = await startTestStack(overrides);
    const { structuredContent } = await callIn(2025, stack, name, args as Record<string, unknown>);
    expect(tokensOf(structuredContent)).toBeLessThan(25_000);
    expect(structuredContent.notice).toMatch(/where this result says "\(cut\)"/);
    validator(CALLS[name].schema!)(structuredContent);
  });
});

test('edit_links treats null as not sent at any depth, and sends all of a change', async () => {
  const stack = await startTestStack();
  const change = {
    title: null,
    note: '',
    hashtags: [],
    expires_at: '',
    add_hashtags: ['#A'],
    remove_hashtags: null,
    replace_hashtag: { from: 'a', to: 'b' },
    replace_host: null,
  };
  await callIn(2026, stack, 'edit_links', { kind: 'edit', filter: { all: true, q: null }, change });
  expect(stack.services.seen.map(({ input }) => input)).toEqual([
    {
      kind: 'edit',
      filter: { all: true },
      change: {
        note: '',
        hashtags: [],
        expires_at: '',
        add_hashtags: ['#A'],
        replace_hashtag: { from: 'a', to: 'b' },
      },
      dry_run: false,
    },
  ]);
});

const ERA_NAMES = [2025, 2026] as const;

describe.each(ERA_NAMES)('in the era of %i', (era) => {
  test('each tool returns the same JSON as REST', async () => {
    for (const { name, outputSchema } of TOOLS) {
      const stack = await startTestStack();
      const { args, seen, schema } = CALLS[name];
      const result = await callIn(era, stack, name, args);
      expect(result.isError).toBeUndefined();
      expect(stack.services.seen.map(({ input }) => input)).toEqual([seen]);
      // The text is the compact JSON of the structured content, with the fields in schema order.
      if (name === 'get_qr_code') {
        const image = { type: 'image', data: Buffer.from(PNG).toString('base64'), mimeType: 'image/png' };
        const text = { type: 'text', text: expect.stringMatching(/^\{"short_url":"http.*"\}$/) };
        expect(result).toEqual({ ...result, content: [text, image] });
        // Some clients show structured content in place of an image.
        expect([outputSchema, 'structuredContent' in result]).toEqual([undefined, false]);
        continue;
      }
      expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }]);
      expect(Object.keys(result.structuredContent)).toEqual(
        // What is absent where there is nothing to say, and what only a restricted key, an import or a dry run has.
        Object.keys((schema as unknown as { properties: object }).properties).filter(
          (field) => !['key', 'notice', 'format', 'encoding', 'unused_columns', 'examples'].includes(field),
        ),
      );
      expect(validator(schema!)(result.structuredContent)).toEqual(result.structuredContent);
      const check = new Ajv2020({ allowUnionTypes: true }).compile(outputSchema!);
      expect(check(result.structuredContent)).toBe(true);
    }
  });

  test('each tool understands its arguments as a JSON text', async () => {
    for (const { name } of TOOLS) {
      const stack = await startTestStack();
      const { args, seen } = CALLS[name];
      expect((await callIn(era, stack, name, JSON.stringify(args))).isError).toBeUndefined();
      expect(stack.services.seen.map(({ input }) => input)).toEqual([seen]);
    }
  });

  test('arguments may be a text that is none', async () => {
    const stack = await startTestStack();
    for (const args of ['', ' ', '{}', '[]', 'null'])
      expect((await callIn(era, stack, 'get_me', args)).structuredContent).toMatchObject({ username: 'ada' });
  });

  test('each tool treats a null argument as not sent', async () => {
    for (const { name, inputSchema } of TOOLS) {
      const { required = [], properties } = inputSchema as unknown as { required?: string[]; properties: object };
      const nulls = Object.fromEntries(Object.keys(properties).map((argument) => [argument, null]));
      const [bare, all] = [await startTestStack(), await startTestStack()];
      const least = Object.entries(CALLS[name].args).filter(([argument]) => required.includes(argument));
      const answer = await callIn(era, bare, name, Object.fromEntries(least));
      expect(answer.isError).toBeUndefined();
      expect(await callIn(era, all, name, { ...nulls, ...Object.fromEntries(least) })).toEqual(answer);
      expect(all.services.seen.map(({ input }) => input)).toEqual(bare.services.seen.map(({ input }) => input));
      expect((await callIn(era, all, name, { nope: null })).content[0].text).toMatch(
        /"nope" is not a known field|is required/,
      );
    }
  });

  test('each tool ignores what n8n and Cline add to every call', async () => {
    for (const { name } of TOOLS) {
      const added = {
        toolCallId: 'call_1',
        sessionId: 7,
        action: 'sendMessage',
        chatInput: { text: 'hi' },
        task_progress: '- [x] a',
      };
      const stack = await startTestStack();
      const { args, seen } = CALLS[name];
      expect((await callIn(era, stack, name, { ...added, ...args })).isError).toBeUndefined();
      expect(stack.services.seen.map(({ input }) => input)).toEqual([seen]);
    }
  });

  test('what they add is refused below the top level', async () => {
    const stack = await startTestStack();
    const operations = [
      { op: 'delete', id: LINK.id, toolCallId: 'call_1' },
      { op: 'update', id: LINK.id, link: { sessionId: 'x' } },
    ];
    const { results } = (await callIn(era, stack, 'bulk_edit_links', { operations })).structuredContent;
    expect(results).toMatchObject([
      { status: 422, error: expect.stringContaining('"toolCallId" is not a known field') },
      { status: 422, error: expect.stringContaining('"sessionId" is not a known field') },
    ]);
    expect(stack.services.seen).toEqual([]);
  });

  test('the error for an unknown link says how to find it', async () => {
    const stack = await startTestStack();
    for (const name of ['update_link', 'delete_link', 'get_qr_code'])
      expect(await callIn(era, stack, name, { id: 'unknown' })).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'Link not found. Find its id, slug or short URL with list_links.' }],
      });
  });

  test('delete_link returns the id of the link that was named by its slug', async () => {
    const stack = await startTestStack();
    const { structuredContent } = await callIn(era, stack, 'delete_link', { id: LINK.slug });
    expect(structuredContent).toEqual({ id: LINK.id, deleted: true });
  });

  test('a link is returned as the service sent it', async () => {
    const stack = await startTestStack();
    expect((await callIn(era, stack, 'create_link', CALLS.create_link.args)).structuredContent).toEqual(LINK);
    expect((await callIn(era, stack, 'delete_link', { id: LINK.id })).structuredContent).toEqual({
      id: LINK.id,
      deleted: true,
    });
  });

  test('get_me shows the scope of the key', async () => {
    const stack = await startTestStack();
    expect((await callIn(era, stack, 'get_me')).structuredContent).toEqual({
      username: 'ada',
      plan: 'developer',
      key_scope: 'full_access',
    });
    const publicKey = await identityHeader({ scope: 'public_links_only', plan: 'business' });
    expect((await callIn(era, stack, 'get_me', {}, publicKey)).structuredContent).toEqual({
      username: 'ada',
      plan: 'business',
      key_scope: 'public_links_only',
    });
  });

  test('a call that is not valid is refused without calling a service', async () => {
    const stack = await startTestStack();
    for (const [name, args, message] of [
      ['get_me', { ['ä'.repeat(70)]: 1 }, `"${'ä'.repeat(59)}…" is not a known field; this tool takes no arguments.`],
      ['list_links', { per: 101 }, '"per" must be between 1 and 100; you sent 101.'],
      ['delete_link', {}, '"id" is required. Expected: {"id":"019a4f0e8f2c7d31a4b6"}.'],
    ] as const)
      expect(await callIn(era, stack, name, args)).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: message }],
      });
    expect(stack.services.seen).toEqual([]);
  });

  test('a refusal of a service becomes isError with its message', async () => {
    for (const [code, message] of [
      ['forbidden', 'A Public Links Only key cannot make private links.'],
      ['conflict', 'The slug is taken.'],
      ['invalid', '"password" needs visibility password-protected.'],
    ] as const) {
      const refuse = async () => {
        throw new AppError(code, message);
      };
      const stack = await startTestStack({ links: { updateLink: refuse } });
      const result = await callIn(era, stack, 'update_link', { id: LINK.id });
      expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: message }] });
      expect(result.structuredContent).toBeUndefined();
      expect(stack.logs.filter(({ level }) => level !== 'info')).toEqual([]);
    }
  });
});

test('an impossible id gives the error of an unknown link', async () => {
  const stack = await startTestStack();
  for (const id of ['', 'x'.repeat(1_000), '../me', '\u0000', '\ud800', '{"$ne":1}'])
    expect((await stack.call('delete_link', { id })).result.content[0].text).toContain(LINK_NOT_FOUND_MESSAGE);
});

const UNAVAILABLE = messageWithWait(new AppError('unavailable', UNAVAILABLE_MESSAGE));

describe.each(ERA_NAMES)('in the era of %i, a call that may be repeated later', (era) => {
  test.each([
    ['rate_limited', 7.2, 'Too many.', 'Too many. Try again in 8 seconds.'],
    ['rate_limited', 8, 'Too many; try again in 8 seconds.', 'Too many; try again in 8 seconds.'],
    ['unavailable', 9, 'Down.', `${UNAVAILABLE.replace('1 second', '9 seconds')} Request id: `],
    ['deadline_exceeded', undefined, 'Late.', `${UNAVAILABLE} Request id: `],
  ] as const)('has the seconds in its text and in Retry-After: %s', async (code, retryAfterSeconds, message, text) => {
    const refuse = async () => {
      throw new AppError(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
    };
    const stack = await startTestStack({ links: { getQrCode: refuse, updateLink: refuse } });
    for (const name of ['get_qr_code', 'update_link']) {
      const { body, headers } = ERAS[era](name, { id: LINK.id });
      const reply = await stack.post(body, headers);
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([200, /\d+/.exec(text)![0]]);
      expect(reply.json.result).toMatchObject({ isError: true, content: [{ type: 'text' }] });
      expect(reply.json.result.content[0].text).toMatch(new RegExp(`^${text}`));
    }
    expect(
      (await stack.post(ERAS[era]('get_me').body, ERAS[era]('get_me').headers)).headers.get('retry-after'),
    ).toBeNull();
  });
});

test('a batch has the longest of the waits of its calls', async () => {
  const wait = (retryAfterSeconds: number) => async () => {
    throw new AppError('rate_limited', 'Too many.', { retryAfterSeconds });
  };
  const stack = await startTestStack({ links: { getQrCode: wait(3), deleteLink: wait(9), updateLink: wait(5) } });
  const batch = ['get_qr_code', 'delete_link', 'update_link', 'get_me'].map((name, id) =>
    request('tools/call', { name, arguments: name === 'get_me' ? {} : { id: LINK.id } }, id),
  );
  const { headers, json } = await stack.post(batch);
  expect(headers.get('retry-after')).toBe('9');
  expect(json).toHaveLength(4);
});

describe('a failure of a service', () => {
  const secret = 'connect ECONNREFUSED 10.1.2.3:27017';

  test.each<[string, ServiceOverrides, string]>([
    [
      'a service that throws',
      {
        links: {
          listLinks: async () => {
            throw new Error(secret);
          },
        },
      },
      'Something went wrong on our side; try again later.',
    ],
    [
      'a service whose database is down',
      {
        links: {
          listLinks: async () => {
            throw new AppError('unavailable', secret, { cause: new Error(secret) });
          },
        },
      },
      UNAVAILABLE,
    ],
    [
      'a service that is too busy',
      {
        links: {
          listLinks: async () => {
            throw new AppError('unavailable', BUSY_MESSAGE);
          },
        },
      },
      messageWithWait(new AppError('unavailable', BUSY_MESSAGE)),
    ],
    [
      'a service that does not believe us',
      {
        links: {
          listLinks: async () => {
            throw new AppError('unauthenticated', secret);
          },
        },
      },
      'Something went wrong on our side; try again later.',
    ],
    ['a service that answers without a link', { links: { createLink: async () => ({}) } }, 'Something went wrong'],
  ])(
    'with the code %s becomes a generic isError, and the log has the cause with the request id',
    async (_what, overrides, words) => {
      const stack = await startTestStack(overrides);
      const [name, args] = overrides.links?.createLink
        ? ['create_link', { destination_url: 'https://a.b', note: 'my note' }]
        : ['list_links', {}];
      const { result } = await stack.call(name as string, args, { 'x-request-id': 'req-7' });
      expect(result.isError).toBe(true);
      const [{ text }] = result.content;
      expect(text).toContain(words);
      expect(text).toContain('req-7');
      for (const hidden of ['10.1.2.3', 'Error', '.ts', INTERNAL_MESSAGE]) expect(text).not.toContain(hidden);
      const errors = stack.logs.filter(({ level }) => level === 'error');
      expect(errors).toMatchObject([{ request_id: 'req-7', tool: name, err: { message: expect.any(String) } }]);
      expect(JSON.stringify(stack.logs)).not.toContain('my note');
      expect(JSON.stringify(stack.logs)).not.toContain('eyJ');
    },
  );

  test('is reported if the service is down', async () => {
    const stack = await startTestStack({}, { addresses: { analytics: '127.0.0.1:1' } });
    const { result } = await stack.call('get_analytics');
    expect(result).toMatchObject({ isError: true });
    expect(result.content[0].text).toContain(UNAVAILABLE);
    expect((await stack.call('get_me')).result.isError).toBeUndefined();
  });

  test('is reported if the service does not respond', async () => {
    const stack = await startTestStack({ links: { listLinks: () => new Promise(() => {}) } });
    const { result } = await stack.call('list_links');
    expect(result).toMatchObject({ isError: true });
    expect(result.content[0].text).toContain(UNAVAILABLE);
  });

  test('is not retried for create_link', async () => {
    let calls = 0;
    const stack = await startTestStack({
      links: {
        createLink: async () => {
          calls += 1;
          throw new AppError('unavailable', 'down');
        },
      },
    });
    expect((await stack.call('create_link', { destination_url: 'https://a.b' })).result.isError).toBe(true);
    expect(calls).toBe(1);
  });
});

test.each([2025, 2026] as const)(
  'in the era of %i concurrent requests with the same id each get their own answer',
  async (era) => {
    const stack = await startTestStack();
    const names = Array.from({ length: 40 }, (_, number) => `user-${number}`);
    const answers = await Promise.all(
      names.map(async (username) => callIn(era, stack, 'get_me', {}, await identityHeader({ username }))),
    );
    expect(answers.map(({ structuredContent }) => structuredContent.username)).toEqual(names);
  },
);

test('the metrics count calls by tool and outcome, and have no names that clients made up', async () => {
  const stack = await startTestStack({
    links: {
      listLinks: async () => {
        throw new Error('broken');
      },
    },
  });
  await stack.call('get_me');
  await stack.call('delete_link', { id: 'nope' });
  await stack.call('list_links');
  await stack.call('made_up');
  const text = await stack.metrics.registry.metrics();
  const counts = [...text.matchAll(/^mcp_tool_call_duration_seconds_count\{(.*)\} (\d+)$/gm)].map(
    ([, labels, count]) => [/tool="(\w+)"/.exec(labels!)?.[1], /outcome="(\w+)"/.exec(labels!)?.[1], count],
  );
  expect(counts.sort()).toEqual([
    ['delete_link', 'refused', '1'],
    ['get_me', 'ok', '1'],
    ['list_links', 'failed', '1'],
  ]);
});
