import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../errors.ts';
import { checkOperations, REST_CHECKS } from '../links/bulk.ts';
import { CreateLinkInput } from '../links/link.ts';
import { ListLinksQuery } from '../links/link-list.ts';
import { queryValidator, validatorIgnoringNull } from '../validate.ts';
import { argumentsOf } from './tool-arguments.ts';
import { TOOL_CHECKS, TOOL_EXAMPLES, TOOL_INPUTS } from './tool-inputs.ts';

// What tools understand, beside what REST does. e2e/mcp/mistakes.test.ts has what they say to mistakes.

const destination_url = 'https://example.com/';
const { list_links, create_link, update_link, get_analytics, get_qr_code } = TOOL_INPUTS;

function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return (error as AppError).message;
  }
  throw new Error('was accepted');
}

test('each tool accepts the example of its errors', () => {
  for (const name of Object.keys(TOOL_INPUTS) as (keyof typeof TOOL_INPUTS)[]) {
    expect.soft(TOOL_INPUTS[name](TOOL_EXAMPLES[name]), name).toMatchObject(TOOL_EXAMPLES[name]);
    const example = `Expected: ${JSON.stringify(TOOL_EXAMPLES[name])}`;
    expect.soft(refusal(() => TOOL_INPUTS[name]({ nope: 1 }))).toContain(example);
  }
});

test('a refusal quotes what was sent, also if a number as a text is understood with white space around it', () => {
  expect(get_analytics({ days: ' 7\t' })).toMatchObject({ days: 7 });
  for (const days of ['\t', ' x ', '1.50', ' 1.0x'])
    expect(refusal(() => get_analytics({ days }))).toContain(`you sent ${JSON.stringify(days)}`);
});

test('each operation accepts the shape of its errors, over REST and in the tool', () => {
  for (const checks of [REST_CHECKS, TOOL_CHECKS]) {
    const [error] = checkOperations([{}], checks) as AppError[];
    const shapes = error!.message.replace(/^.*? Expected: |\.$/g, '').split(' or ');
    expect(shapes).toHaveLength(4);
    const operations = shapes.map((shape) => JSON.parse(shape));
    expect(checkOperations(operations, checks)).toMatchObject(operations);
    for (const [n, { op }] of operations.entries()) {
      const [malformed] = checkOperations([{ op, nope: 1 }], checks) as AppError[];
      expect(malformed!.message.endsWith(` Expected: ${shapes[n]}.`)).toBe(true);
    }
  }
});

describe('a form that models confuse is understood', () => {
  const UNDERSTOOD: [string, (args: object) => unknown, object, object][] = [
    ['a number as text', list_links, { page: '2', per: '50' }, { page: 2, per: 50 }],
    ['a number as text', get_analytics, { days: '7', top: '3' }, { days: 7, top: 3 }],
    ['a number as text', get_qr_code, { id: 'x', size: '64' }, { size: 64 }],
    ['a boolean for a text', list_links, { archived: true }, { archived: 'true' }],
    ['a boolean for a text', list_links, { archived: false }, { archived: 'false' }],
    ['a boolean as text', create_link, { destination_url, archived: 'true' }, { archived: true }],
    ['a boolean as text', update_link, { id: 'x', archived: 'False' }, { archived: false }],
    ['a boolean as text', create_link, { destination_url, auto_meta: 'TRUE' }, { auto_meta: true }],
    ['spaces after commas', list_links, { fields: ' slug, clicks' }, { fields: 'slug,clicks' }],
    ['spaces after commas', get_analytics, { include: 'countries ,  previous ' }, { include: 'countries,previous' }],
    [
      'spaces after commas',
      TOOL_INPUTS.bulk_edit_links,
      { operations: [1], fields: 'id, slug' },
      { fields: 'id,slug' },
    ],
    ['a list for a text', list_links, { fields: ['slug', 'clicks'] }, { fields: 'slug,clicks' }],
    ['a list for a text', get_analytics, { include: ['countries', 'hosts'] }, { include: 'countries,hosts' }],
    ['a fraction that is none', list_links, { per: '2.0' }, { per: 2 }],
    ['JSON as text', create_link, { destination_url, hashtags: '["sale","summer"]' }, { hashtags: ['sale', 'summer'] }],
    [
      'JSON as text',
      TOOL_INPUTS.edit_links,
      { kind: 'edit', filter: '{"hashtag":"sale"}', change: ' {"add_hashtags":"[\\"x\\"]"}', dry_run: 'true' },
      { filter: { hashtag: 'sale' }, change: { add_hashtags: ['x'] }, dry_run: true },
    ],
    [
      'JSON as text',
      TOOL_INPUTS.bulk_edit_links,
      { operations: `["{\\"op\\":\\"create\\",\\"link\\":{}}",{"op":"create","link":"{}"}]` },
      {
        operations: [
          { op: 'create', link: {} },
          { op: 'create', link: {} },
        ],
      },
    ],
    ['a text that looks like JSON', create_link, { destination_url, title: '["x"]' }, { title: '["x"]' }],
    ['null', list_links, { q: null, per: null, fields: null }, { per: 25 }],
  ];
  test('and the arguments are not changed', () => {
    for (const [form, check, args, expected] of UNDERSTOOD) {
      const before = structuredClone(args);
      expect.soft(check(args), form).toMatchObject(expected);
      expect(args).toEqual(before);
    }
  });

  test('in the link of an operation, too', () => {
    const operations = [
      { op: 'create', link: { destination_url, archived: 'true', auto_meta: 'false', title: null } },
      { op: 'update', id: 'x', link: { archived: 'false', auto_meta: null } },
    ];
    expect(checkOperations(operations, TOOL_CHECKS)).toEqual([
      { op: 'create', link: { destination_url, archived: true, auto_meta: false } },
      { op: 'update', id: 'x', link: { archived: false } },
    ]);
  });

  test('but not over REST', () => {
    const create = validatorIgnoringNull(CreateLinkInput);
    expect(refusal(() => create({ destination_url, archived: 'true' }))).toContain('"archived" must be true or false');
    expect(refusal(() => queryValidator(ListLinksQuery)({ fields: 'slug, clicks' }))).toContain('without spaces');
    expect(checkOperations([{ op: 'create', link: { destination_url, archived: 'true' } }], REST_CHECKS)).toMatchObject(
      [{ message: '"archived" must be true or false; you sent "true".' }],
    );
  });

  const NONE: [(args: object) => unknown, object][] = [
    [list_links, { per: '' }],
    [list_links, { per: '5 0' }],
    [list_links, { per: '0x10' }],
    [list_links, { per: '1e1' }],
    [list_links, { per: true }],
    [list_links, { fields: 'slug clicks' }],
    [list_links, { fields: 'slug,' }],
    [list_links, { sort: true }],
    [list_links, { q: 7 }],
    [create_link, { destination_url, archived: 'yes' }],
    [create_link, { destination_url, archived: 1 }],
    [create_link, { destination_url, archived: 'constructor' }],
    [create_link, { destination_url, archived: '' }],
    [create_link, { destination_url, title: 2027 }],
  ];
  test('what is none of them is refused', () => {
    for (const [check, args] of NONE) expect.soft(refusal(() => check(args))).toMatch(/^"\w+" must be /);
  });
});

test('no message of a tool offers null; an empty text empties', () => {
  for (const name of ['title', 'description', 'note', 'expires_at', 'expired_url'])
    for (const message of [
      refusal(() => create_link({ destination_url, [name]: 7 })),
      refusal(() => update_link({ id: 'x', [name]: 7 })),
    ]) {
      expect(message).toMatch(new RegExp(`^"${name}" must be a string, .*(or "" to empty it|or empty)`));
      expect(message).not.toContain('null');
    }
});

const ARGUMENTS: [unknown, unknown][] = [
  [{ a: 1 }, { a: 1 }],
  ['{"a":1}', { a: 1 }],
  [' {"a":1}\n', { a: 1 }],
  ['', {}],
  ['[]', []],
  ['null', null],
  ['x', 'x'],
  ['{"a":', '{"a":'],
  [7, 7],
  [undefined, undefined],
];
test('a text of JSON is read as arguments, and other texts as they are', () => {
  for (const [sent, expected] of ARGUMENTS) expect.soft(argumentsOf(sent)).toEqual(expected);
});

test('any arguments give a value or an AppError of one sentence or three, and are not changed', () => {
  const names = fc.constantFrom('id', 'destination_url', 'title', 'per', 'fields', 'include', 'operations', 'archived');
  const args = fc.dictionary(fc.oneof(names, fc.string()), fc.oneof(fc.jsonValue(), fc.string()));
  fc.assert(
    fc.property(args, (sent) => {
      const before = structuredClone(sent);
      for (const check of Object.values(TOOL_INPUTS)) {
        try {
          check(sent);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          expect((error as AppError).message.length).toBeLessThan(700);
          expect((error as AppError).message).not.toMatch(/[\n\r]/);
        }
      }
      expect(sent).toEqual(before);
    }),
    { numRuns: 300 },
  );
});

test('long texts are read in linear time', () => {
  const millisecondsFor = (length: number) => {
    const long = ' '.repeat(length);
    const startedMs = performance.now();
    for (const value of [long, `${long},${long}`, `true${long}`, '1'.repeat(length)])
      for (const [check, name] of [
        [list_links, 'fields'],
        [get_analytics, 'include'],
        [list_links, 'per'],
        [create_link, 'archived'],
      ] as const)
        refusal(() => check({ [name]: value }));
    return performance.now() - startedMs;
  };
  millisecondsFor(25_000);
  // Quadratic time would be a hundred times as long.
  expect(millisecondsFor(250_000)).toBeLessThan(50 * Math.max(1, millisecondsFor(25_000)));
});
