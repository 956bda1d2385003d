import { expect, test } from 'vitest';
import { linksOf, refusalOf } from '../../test/support/read.ts';

// No link is refused for a trifle in its texts. Only those of an export of Waymark stay as they are.

const URL = 'https://example.com/';
const json = (fields: object) => JSON.stringify([{ slug: 'a', url: URL, ...fields }]);
const textOf = async (column: string, text: string) => (await linksOf(json({ [column]: text })))[0]![column as 'title'];

test.each([
  ['a\tb', 'a b'],
  [' a  \r\n\u00a0 b\u3000', 'a b'],
  ['a\u000bb\u0000c\u0085d', 'a bc d'],
  ['a\ud83d', 'a'],
  ['x'.repeat(250), 'x'.repeat(200)],
  [`${'x'.repeat(199)} yz`, 'x'.repeat(199)],
  ['😀'.repeat(250), '😀'.repeat(200)],
  [' \t ', undefined],
])('the title %j becomes %j', async (text, title) => {
  expect(await textOf('title', text)).toBe(title);
});

test.each([
  ['a\tb\n\tc\r\nd ', 'a b\n c\r\nd'],
  ['a\u000bb\u0000c', 'a bc'],
  ['x'.repeat(1_200), 'x'.repeat(1_000)],
])('the description %j becomes %j', async (text, description) => {
  expect(await textOf('description', text)).toBe(description);
});

test('a note keeps its length and its lines', async () => {
  expect(await textOf('note', `a\tb\u0007\n${'x'.repeat(6_000)}`)).toBe(`a b\n${'x'.repeat(6_000)}`);
});

test.each([
  ['example.com', 'https://example.com'],
  [' example.com/a?b=c#d ', 'https://example.com/a?b=c#d'],
  ['www.bücher.example:8080/a', 'https://www.bücher.example:8080/a'],
  ['HTTP://example.com/', 'HTTP://example.com/'],
])('the destination %j, of a browser that hides the scheme, becomes %j', async (url, destination) => {
  expect((await linksOf(JSON.stringify([{ slug: 'a', url, expired_url: url }])))[0]).toMatchObject({
    destination_url: destination,
    expired_url: destination,
  });
});

test.each(['example', 'localhost:3000/a', 'mailto:ada@example.com', 'ada@example.com', 'example.com:80@evil.example/'])(
  'the destination %j gets no scheme',
  async (url) => {
    expect((await linksOf(JSON.stringify([{ slug: 'a', url }])))[0]).toMatchObject({ destination_url: url });
  },
);

test('of more than 20 tags, the first 20 are taken', async () => {
  const tags = Array.from({ length: 25 }, (_, n) => `tag${n}`);
  for (const sent of [tags, tags.join(), [...tags.slice(0, 3), ...tags]])
    expect((await linksOf(json({ tags: sent })))[0]!.hashtags).toEqual(tags.slice(0, 20));
});

test('what databases and people write for never is no expiry, but a start', async () => {
  for (const never of [
    '9999-12-31',
    '9999-12-31 23:59:59',
    '9999-12-31T23:59:59.999Z',
    '0000-00-00',
    '2999-12-31',
    9_999_999_999,
    'never',
  ]) {
    expect(await linksOf(json({ expires_at: never }))).toEqual([{ slug: 'a', destination_url: URL }]);
    expect(await linksOf(json({ expires_at: never, valid_until: '2030-01-01' }))).toMatchObject([
      { expires_at: '2030-01-01T00:00:00.000Z' },
    ]);
  }
  expect(await refusalOf(json({ valid_since: '9999-12-31' }))).toContain('The link begins on 9999-12-31');
});

test('an export of Waymark keeps its texts', async () => {
  const title = ` a\t\tb ${'x'.repeat(250)}`;
  const row = { slug: 'a', destination_url: URL, short_url: URL, updated_at: null, title };
  expect(await linksOf(JSON.stringify([row]))).toMatchObject([{ title }]);
});
