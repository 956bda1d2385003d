import type { Link } from '@waymark/contract';
import { describe, expect, test } from 'vitest';
import { api, createAccount, createLink, follow, request, stack } from '../support/world.ts';

// docs/api.md, Links, and the OpenAPI document: every field, on both sides of each bound, on create and on update.

const account = await createAccount();
const rest = api(account.live);
const destination_url = 'https://example.com/';
const subject = await createLink(account.live, {});
let count = 0;
const unique = () => `f${Date.now().toString(36)}${(count++).toString(36)}`;

/** Checks that create and update accept the value, and that create, update and get show it as `shown`. */
async function accepts(field: keyof Link, value: unknown, shown: unknown = value): Promise<void> {
  const created = await rest.create({ destination_url, [field]: value });
  expect([created.status, created.body[field]], JSON.stringify(value).slice(0, 200)).toEqual([201, shown]);
  expect((await rest.get(created.body.id)).body[field]).toEqual(shown);
  await rest.delete(created.body.id);
  const updated = await rest.update(subject.id, { [field]: value });
  expect([updated.status, updated.body[field]]).toEqual([200, shown]);
}

/** Checks that create and update reject the value with a message that names the field, and change nothing. */
async function refuses(field: string, value: unknown): Promise<void> {
  const before = (await rest.get(subject.id)).body;
  const body = { ...(field === 'destination_url' ? {} : { destination_url }), [field]: value };
  for (const answer of [await rest.create(body), await rest.update(subject.id, { [field]: value })]) {
    expect(answer.status, JSON.stringify(body).slice(0, 200)).toBe(422);
    expect(Object.keys(answer.body)).toEqual(['error']);
    expect((answer.body as unknown as { error: string }).error).toMatch(new RegExp(`^"${field}[".[]`));
  }
  expect((await rest.get(subject.id)).body).toEqual(before);
}

const acceptAll = async (field: keyof Link, values: unknown[]) => {
  for (const value of values) await accepts(field, value);
};
const refuseAll = async (field: string, values: unknown[]) => {
  for (const value of values) await refuses(field, value);
};

describe('`slug`: 1–64 of `A–Z a–z 0–9 _ -`', () => {
  test('accepts 1 and 64 characters, every letter, digit, _ and -, and is shown as sent', async () => {
    const all = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';
    expect(all).toHaveLength(64);
    for (const slug of ['Q', all]) {
      const { status, body } = await rest.create({ destination_url, slug });
      expect([status, body.slug, body.short_url]).toEqual([201, slug, `${stack.publicUrl}/${slug}`]);
      expect((await follow(slug.toLowerCase())).status).toBe(302);
      expect((await follow(slug.toUpperCase())).status).toBe(302);
      await rest.delete(body.id);
    }
  });
  test('anything else is refused', () =>
    refuseAll('slug', [
      ...['', 'x'.repeat(65), 'a b', 'a.b', 'a/b', 'ä', 'a\n', 'a%41', '٣', 'ａ', '\u017f', '_a', '-a', 1, ['a']],
    ]));
  test('"not a reserved word", in any case', async () => {
    for (const word of ['api', 'app', 'mcp', 'docs', 'readyz', 'openapi.json', 'robots.txt', 'admin', 'undefined'])
      await refuseAll('slug', [word, word.toUpperCase(), word[0]!.toUpperCase() + word.slice(1)]);
  });
  test('"unique across the service ignoring case", also over accounts, on create and on update', async () => {
    const other = await createAccount();
    const slug = `${unique()}Ab`;
    await createLink(other.live, { slug, visibility: 'private' });
    await refuses('slug', slug);
    await refuses('slug', slug.toLowerCase());
    await refuses('slug', slug.toUpperCase());
  });
  test('"generated (7 characters, no look-alikes) when not given"', async () => {
    for (let n = 0; n < 20; n += 1) expect((await createLink(account.live, {})).slug).toMatch(/^[2-9a-hjkmnp-z]{7}$/);
  });
});

describe('`destination_url`: "absolute http or https, at most 2,048 characters, a host, no user info; stored as sent"', () => {
  const long = (length: number) => `https://example.com/${'x'.repeat(length - 20)}`;
  test('is stored as sent', () =>
    acceptAll('destination_url', [
      ...[
        'http://a',
        'HTTPS://EXAMPLE.com:443/a/../b',
        'https://example.com?q=a b',
        'http://[::1]:80/',
        'http://127.1/',
      ],
      ...['https://пример.рф/путь?я=ж#ü', 'https://example.com/%zz%', 'https://example.com/@x', long(2048)],
    ]));
  test('anything else is refused', () =>
    refuseAll('destination_url', [
      ...['', 'example.com', '//example.com', 'ftp://example.com', 'javascript:alert(1)', 'https://', 'https:///x'],
      ...['http:example.com', 'https:\\\\example.com', 'https://user@example.com', 'https://u:p@example.com'],
      ...[
        'https://@example.com',
        'https://:80/',
        'https://exa mple.com',
        'https://example.com/\n',
        'http://exam\nple.com',
      ],
      ...[' https://example.com', 'https://example.com ', 'https://example.com:99999/', 'https://[::1'],
      ...['https://example.com/\u0000', long(2049), null, 1, {}],
    ]));
  test('"required on create"', async () => {
    const answer = await rest.create({ title: 'x' });
    expect([answer.status, answer.body]).toEqual([422, { error: '"destination_url" is required.' }]);
  });
  test('2,048 is counted in Unicode code points', async () => {
    await accepts('destination_url', `https://e.com/${'😀'.repeat(2048 - 14)}`);
    await refuses('destination_url', `https://e.com/${'😀'.repeat(2048 - 13)}`);
  });
});

describe.each([
  ['title', 200],
  ['description', 1_000],
  ['note', 5_000],
] as const)('`%s`: "string or null", at most %i', (field, max) => {
  test('counted in Unicode code points', async () => {
    await accepts(field, '😀'.repeat(max));
    await refuses(field, '😀'.repeat(max + 1));
    await accepts(field, 'e\u0301'.repeat(max / 2));
  });
  test('is kept as sent', () =>
    acceptAll(field, [' ', 'a\nb\r\nc', '‮abc', '"\\', '<script>', '\u200d', '\ufeff', '\u2028', null]));
  test('an empty one is stored as null', async () => accepts(field, '', null));
  test('control characters other than line breaks and values that are not strings are refused', () =>
    refuseAll(field, ['a\u0000', '\t', '\u001b[0m', '\u007f', '\u0085', 1, [], {}]));
  test('an unpaired surrogate is refused', async () => {
    const answer = await request<{ error: string }>(`/api/v1/links/${subject.id}`, {
      ...{ method: 'PUT', key: account.live, body: `{"${field}":"a\\ud800b"}` },
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error).toContain(`"${field}"`);
  });
});

describe('`hashtags`: "at most 20, each 1–50 letters, digits, `_` or `-` of any script"', () => {
  const tags = (length: number) => Array.from({ length }, (_, index) => `t${index}`);
  const FOLDED: [string, string[], string[]][] = [
    ['a leading # is dropped', ['#one', 'two'], ['one', 'two']],
    ['case folded', ['ÉTÉ', 'Σίσυφος', 'STRASSE'], ['été', 'σίσυφος', 'strasse']],
    ['duplicates removed', ['#A', 'a', '#a', 'b', 'A'], ['a', 'b']],
    ['of any script', ['夏', 'лето', 'ग्रीष्म', '٣', 'a_b-c'], ['夏', 'лето', 'ग्रीष्म', '٣', 'a_b-c']],
    ['at most 20', tags(20), tags(20)],
    ['50 characters, the # apart', [`#${'x'.repeat(50)}`], ['x'.repeat(50)]],
    ['none', [], []],
  ];
  test('a leading # is dropped, case folded and duplicates are removed', async () => {
    for (const [, sent, shown] of FOLDED) await accepts('hashtags', sent, shown);
  });
  test('anything else is refused', () =>
    refuseAll('hashtags', [
      ...[tags(21), ['x'.repeat(51)], [''], ['#'], ['##a'], ['a b'], ['a,b'], ['a\n'], ['😀'], [null], [1], 'a', {}],
    ]));
});

describe('`visibility`', () => {
  const all = ['public', 'unlisted', 'private', 'password-protected'] as const;
  test('default `public`', async () => expect((await createLink(account.live, {})).visibility).toBe('public'));
  test('"may be changed to any other", and back, over every pair', async () => {
    const link = await createLink(account.live, { password: 'once' });
    for (const from of all) {
      for (const to of all) {
        expect((await rest.update(link.id, { visibility: from })).body.visibility).toBe(from);
        expect((await rest.update(link.id, { visibility: to })).body.visibility).toBe(to);
      }
    }
  });
  test('anything else is refused', () => refuseAll('visibility', ['', 'Public', 'protected', 1, ['public']]));
  test('"password-protected needs password unless one is already set"', async () => {
    const link = await createLink(account.live, {});
    for (const answer of [
      await rest.create({ destination_url, visibility: 'password-protected' }),
      await rest.update(link.id, { visibility: 'password-protected' }),
    ]) {
      expect(answer.status).toBe(422);
      expect((answer.body as unknown as { error: string }).error).toContain('"password"');
    }
    expect((await rest.update(link.id, { visibility: 'password-protected', password: 'x' })).status).toBe(200);
    expect((await rest.update(link.id, { visibility: 'password-protected' })).status).toBe(200);
  });
});

describe('`password`: "1–128 characters … write-only"', () => {
  const open = (slug: string, password: string) =>
    request(`/${slug}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams({ password })}`,
    });
  test('1 and 128 characters, counted in Unicode code points, open the link', async () => {
    for (const password of ['x', '😀'.repeat(128)]) {
      const link = await createLink(account.live, { password });
      expect((await open(link.slug, `${password}y`)).status).toBe(403);
      expect((await open(link.slug, password)).status).toBe(303);
    }
  });
  test('anything else is refused, without being shown', async () => {
    for (const value of ['', 'x'.repeat(129), 'a\tb', 1, true]) {
      await refuses('password', value);
      const { body } = await rest.create({ destination_url, password: value });
      if (typeof value === 'string' && value !== '') expect(JSON.stringify(body)).not.toContain(value);
    }
  });
  test('"implies password-protected when visibility is not sent, and is refused with any other visibility"', async () => {
    const link = await createLink(account.live, {});
    expect((await rest.update(link.id, { password: 'x' })).body.visibility).toBe('password-protected');
    for (const visibility of ['public', 'unlisted', 'private']) {
      expect((await rest.update(link.id, { password: 'x', visibility })).status).toBe(422);
      expect((await rest.create({ destination_url, password: 'x', visibility })).status).toBe(422);
    }
  });
  test('is in no response of create, get, update and list', async () => {
    const password = `never-shown-${unique()}`;
    const link = await createLink(account.live, { password, title: password.slice(0, 5) });
    const answers = [
      link,
      (await rest.get(link.id)).body,
      (await rest.update(link.id, { note: null })).body,
      (await rest.list('?per=100')).body,
    ];
    for (const answer of answers) {
      expect(JSON.stringify(answer)).not.toContain(password);
      expect(JSON.stringify(answer)).not.toContain('"password"');
    }
  });
});

describe('`managed_by`: "at most 64 of `A–Z a–z 0–9 _ - . /`"', () => {
  test.each(['team-a', 'a/B_c.yaml', '-', 'x'.repeat(64)])('%s is accepted', async (managed_by) => {
    expect(await createLink(account.live, { managed_by })).toMatchObject({ managed_by });
    expect((await rest.update(subject.id, { managed_by })).body).toMatchObject({ managed_by });
    const { body } = await rest.list(`?managed_by=${encodeURIComponent(managed_by)}`);
    expect(body.links.every((link) => link.managed_by === managed_by)).toBe(true);
    expect(body.links.map(({ id }) => id)).toContain(subject.id);
  });
  test.each([null, ''])('%j empties it', async (managed_by) => {
    await rest.update(subject.id, { managed_by: 'team-a' });
    expect((await rest.update(subject.id, { managed_by })).body).toMatchObject({ managed_by: null });
  });
  test('anything else is refused', () => refuseAll('managed_by', ['a b', 'ä', 'a\n', 'x'.repeat(65), 1, ['a']]));
});

describe('`max_clicks`: 1–1,000,000', () => {
  test('both bounds are accepted, and null empties it', async () => {
    await acceptAll('max_clicks', [1, 1_000_000]);
    expect((await rest.update(subject.id, { max_clicks: null })).body.max_clicks).toBeNull();
  });
  test('anything else is refused', () => refuseAll('max_clicks', [0, 1_000_001, -1, 1.5, '5', true]));
});

describe('`redirect_code`: 301, 302, 307, 308', () => {
  test('each is accepted', () => acceptAll('redirect_code', [301, 302, 307, 308]));
  test('anything else is refused', () => refuseAll('redirect_code', [300, 303, 309, 301.5, '301', []]));
});

describe('`rules`: "at most 20"', () => {
  const to = 'https://example.com/a';
  test('each condition is accepted, and shown as sent', () =>
    acceptAll('rules', [
      [{ to, device: ['mobile', 'tablet'], os: ['iOS'], browser: ['Safari', 'other'], country: ['DE', 'unknown'] }],
      [{ to, language: 'de', from: '2026-01-01T00:00:00Z', until: '2027-01-01T00:00:00.5+01:00', share: 0 }],
      Array(20).fill({ to, share: 100 }),
      [],
    ]));
  test('`null` is the empty list', async () => {
    await rest.update(subject.id, { rules: [{ to, share: 1 }] });
    expect((await rest.update(subject.id, { rules: null })).body.rules).toEqual([]);
  });
  test('anything else is refused, with the number of the rule and the field', async () => {
    const wrong: [object, string][] = [
      [{ to }, 'rules[1]'],
      [{ share: 1, os: ['iOS'] }, 'rules[1].to'],
      [{ to: 'ftp://a', share: 1 }, 'rules[1].to'],
      [{ to: `${stack.publicUrl}/x`, share: 1 }, 'rules[1].to'],
      [{ to, share: 101 }, 'rules[1].share'],
      [{ to, share: 1.5 }, 'rules[1].share'],
      [{ to, device: [] }, 'rules[1].device'],
      [{ to, device: ['phone'] }, 'rules[1].device[0]'],
      [{ to, device: 'mobile' }, 'rules[1].device'],
      [{ to, os: ['ios'] }, 'rules[1].os[0]'],
      [{ to, browser: ['Safari', 'Netscape'] }, 'rules[1].browser[1]'],
      [{ to, country: ['de'] }, 'rules[1].country[0]'],
      [{ to, country: ['Germany'] }, 'rules[1].country[0]'],
      [{ to, language: 'deu' }, 'rules[1].language'],
      [{ to, language: ['de'] }, 'rules[1].language'],
      [{ to, from: '2026-01-01' }, 'rules[1].from'],
      [{ to, until: 'tomorrow' }, 'rules[1].until'],
      [{ to, colour: 'red' }, 'rules[1].colour'],
    ];
    for (const [rule, field] of wrong)
      for (const answer of [
        await rest.create({ destination_url, rules: [{ to, share: 1 }, rule] as never }),
        await rest.update(subject.id, { rules: [{ to, share: 1 }, rule] as never }),
      ]) {
        expect(answer.status, JSON.stringify(rule)).toBe(422);
        expect((answer.body as unknown as { error: string }).error).toContain(`"${field}"`);
      }
    await refuseAll('rules', [Array(21).fill({ to, share: 1 }), {}, 'x', [null], [to]]);
  });
});

describe('"Sending a read-only or unknown field is 422"', () => {
  test('a read-only field', async () => {
    for (const field of ['id', 'short_url', 'clicks', 'last_clicked_at', 'created_at', 'updated_at'] as const)
      await refuseAll(field, [subject[field], null]);
  });
  test('an unknown field', async () => {
    for (const field of ['colour', 'Title', 'password_hash', 'account_id', '$set', 'a.b', 'toString']) {
      const body = { destination_url, [field]: 'x' };
      for (const answer of [await rest.create(body), await rest.update(subject.id, { [field]: 'x' })]) {
        expect(answer.status).toBe(422);
        expect((answer.body as unknown as { error: string }).error).toContain(`"${field}"`);
      }
    }
  });
  test('auto_meta is a boolean of create only', async () => {
    expect((await rest.update(subject.id, { auto_meta: true })).status).toBe(422);
    for (const auto_meta of ['true', 1]) expect((await rest.create({ destination_url, auto_meta })).status).toBe(422);
    expect((await rest.create({ destination_url, auto_meta: false })).status).toBe(201);
  });
});

test('"On create, `null` for any optional field is the same as not sending it"', async () => {
  const texts = { slug: null, title: null, description: null, note: null };
  const others = { hashtags: null, visibility: null, password: null, auto_meta: null };
  const { status, body } = await rest.create({ destination_url, ...texts, ...others });
  expect(status).toBe(201);
  expect(body).toMatchObject({ title: null, description: null, note: null, hashtags: [], visibility: 'public' });
  expect((await rest.create({ destination_url: null })).status).toBe(422);
});

describe('read-only fields', () => {
  test('"Every field is always present in a response, null where empty"', async () => {
    const fields = [
      ...[
        'id',
        'host',
        'slug',
        'short_url',
        'destination_url',
        'title',
        'description',
        'note',
        'hashtags',
        'visibility',
        'health',
        'clicks',
      ],
      ...['expires_at', 'expired_url', 'archived', 'managed_by', 'redirect_code', 'rules', 'max_clicks'],
      ...['social_title', 'social_description', 'social_image_url'],
      ...['last_clicked_at', 'created_at', 'updated_at'],
    ].sort();
    const link = await createLink(account.live, {});
    const list = await rest.list();
    for (const shown of [
      link,
      (await rest.get(link.id)).body,
      (await rest.update(link.id, { title: 'x' })).body,
      ...list.body.links,
    ]) {
      expect(Object.keys(shown).sort()).toEqual(fields);
    }
  });
  test('`id`: "never reused", also after a delete', async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 10; n += 1) {
      const link = await createLink(account.live, {});
      ids.add(link.id);
      await rest.delete(link.id);
    }
    expect(ids.size).toBe(10);
  });
  test('`created_at`, `updated_at`: "RFC 3339 UTC with milliseconds"; only the second changes', async () => {
    const before = Date.now();
    const link = await createLink(account.live, {});
    const { body: updated } = await rest.update(link.id, { note: 'n' });
    for (const moment of [link.created_at, link.updated_at, updated.updated_at]) {
      expect(moment).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(moment)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(moment)).toBeLessThanOrEqual(Date.now() + 1);
    }
    expect(updated.created_at).toBe(link.created_at);
    expect(updated.updated_at > link.updated_at).toBe(true);
  });
});
