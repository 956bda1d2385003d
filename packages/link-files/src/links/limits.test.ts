import { expect, test } from 'vitest';
import { linksOf, open, refusalOf } from '../../test/support/read.ts';

// An import opens no link to more people than before.

const LINK = { slug: 'a', url: 'https://example.com/' };
const OPEN = { slug: 'a', destination_url: 'https://example.com/' };

/** Returns the row as a CSV file and as a JSON file. */
function filesOf(column: string, value: unknown): string[] {
  const cell = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
  return [
    `slug,url,${column}\na,https://example.com/,"${cell.replaceAll('"', '""')}"\n`,
    JSON.stringify([{ ...LINK, [column]: value }]),
    JSON.stringify([{ ...LINK, meta: { [column]: value } }]),
  ];
}

const TRUE = [true, 'true', 'TRUE', 't', '1', 1, 'yes'];
const FALSE = [false, 'false', 'FALSE', 'f', '0', 0, '', null, ' ', 'no'];
const CLOSING =
  'banned,is_banned,isDisabled,disabled,deleted,paused,is_expired,expired,private,is_hidden,draft,deactivated,spam,isdeleted,link_disabled,locked,is_ended,stopped,quarantined,restricted,internal_only'.split(
    ',',
  );
const OPENING =
  'enabled,is_enabled,isActive,is_public,published,is_live,isvisible,link_active,is_activated,approved,is_valid'.split(
    ',',
  );

test.each(CLOSING)('a link is refused if %s is true in any writing, and open if it is not', async (column) => {
  for (const value of TRUE)
    for (const file of filesOf(column, value))
      expect(await refusalOf(file)).toContain(`remove the row, or "${column}" to open it`);
  for (const value of FALSE) for (const file of filesOf(column, value)) expect(await linksOf(file)).toEqual([OPEN]);
});

test.each(OPENING)(
  'a link is refused if %s is false in any writing, and open if it is true or empty',
  async (column) => {
    for (const value of [false, 'false', 'FALSE', 'f', '0', 0, '-', 'unknown', 2])
      for (const file of filesOf(column, value)) expect(await refusalOf(file)).toContain('The link is closed');
    for (const value of [...TRUE, '', null])
      for (const file of filesOf(column, value)) expect(await linksOf(file)).toEqual([OPEN]);
  },
);

test.each<[string, unknown, string]>([
  ['disabledAt', '2024-03-01T10:00:00Z', 'The link is closed'],
  ['deleted_at', '2024-03-01', 'The link is closed'],
  ['state', 'INACTIVE', 'The link may be closed: its "state" is "'],
  ['status', 'disabled', 'The link may be closed: its "status" is "'],
  ['status', 'Closed', 'The link may be closed: its "status" is "'],
  ['status', 'under review', 'The link may be closed: its "status" is "'],
  ['status', 0, 'The link may be closed: its "status" is "'],
  ['state', 'f', 'The link may be closed: its "state" is "'],
  ['password', true, 'The link has a password (column "password")'],
  ['password', 'hunter2', 'The link has a password'],
  ['secret_key', 'abc1', 'The link has a password (column "secret_key")'],
  ['pin', '4711', 'The link has a password (column "pin")'],
  ['link_password', 'hunter2', 'The link has a password'],
  ['has_passcode', 1, 'The link has a password'],
  ['password_required', 1, 'The link has a password (column "password_required")'],
  ['requiresPassword', true, 'The link has a password'],
  ['password_enabled', 'true', 'The link has a password'],
  ['passwordprotection', 'on', 'The link has a password'],
  ['password_hint', 'the dog', 'The link has a password'],
  ['passphrase', 'hunter2', 'The link has a password'],
  ['access', 'private', 'The link may be closed: its "access" is "private"'],
  ['privacy', 'private', 'The link may be closed: its "privacy" is "private"'],
  ['status', { toString: 1 }, 'The link may be closed: its "status" is "'],
  ['expire_at_views', 5, 'The link ends after "5" visits'],
  ['max_hits', 5, 'The link ends after "5" visits'],
  ['clicks_left', 5, 'The link ends after "5" visits'],
  ['scan_limit', 5, 'The link ends after "5" visits'],
  ['max_visitors', 5, 'The link ends after "5" visits'],
  ['access_limit', 5, 'The link ends after "5" visits'],
  ['maximumNumberVisits', 5, 'The link ends after "5" visits'],
  ['usagelimit', 5, 'The link ends after "5" visits'],
  ['one_time', true, 'The link works once'],
  ['single_use', 'yes', 'The link works once'],
  ['self_destruct', true, 'The link works once'],
  ['launch_date', '2999-01-01', 'The link begins on 2999-01-01T00:00:00.000Z'],
  ['scheduled_at', '2999-01-01', 'The link begins on 2999-01-01T00:00:00.000Z'],
  ['ttl', 3600, 'The expiry "3600" cannot be read'],
  ['expire_after', 30, 'The expiry "30" cannot be read'],
  ['expiry_days', 30, 'The expiry "30" cannot be read'],
  ['start_time', '2999-01-01', 'The link begins on 2999-01-01T00:00:00.000Z'],
  ['available_from', '2999-01-01', 'The link begins on 2999-01-01T00:00:00.000Z'],
  ['ios_link', 'https://apps.example/1', 'another destination for some visitors'],
  ['targets', 'https://example.com/b', 'another destination for some visitors'],
  ['country_targeting', '{"DE":"https://example.de/"}', 'another destination for some visitors'],
  ['mobile_url', 'https://m.example.com/', 'another destination for some visitors'],
  ['app_store_url', 'https://apps.example/1', 'another destination for some visitors'],
  ['windows_url', 'https://apps.example/2', 'another destination for some visitors'],
  ['destinations', 'https://example.com/b', 'another destination for some visitors'],
  ['rotate_urls', 'https://example.com/b', 'another destination for some visitors'],
  ['ab_test', true, 'another destination for some visitors'],
  ['passwordHash', '$2b$', 'The link has a password'],
  ['maxVisits', 5, 'The link ends after "5" visits, which cannot be kept; remove "maxVisits" to import it.'],
  ['click_limit', '100', 'The link ends after "100" visits'],
  ['validSince', '2999-01-01T00:00:00Z', 'The link begins on 2999-01-01T00:00:00.000Z, which cannot be kept;'],
  ['validSince', 'soon', 'The start "soon" cannot be read'],
  ['ios', 'https://apps.example/1', 'another destination for some visitors, which cannot be kept; remove "ios"'],
  ['android', 'https://apps.example/2', 'another destination for some visitors'],
  ['geo', { DE: 'https://example.de/' }, 'another destination for some visitors'],
  ['hasRedirectRules', true, 'another destination for some visitors'],
  ['iphoneURL', 'https://apps.example/1', 'another destination for some visitors'],
  ['splitURL', 'https://example.com/b', 'another destination for some visitors'],
  ['deviceLongUrls', { android: null, ios: 'https://apps.example/1' }, 'another destination for some visitors'],
  ['testVariants', [{ url: 'https://example.com/b', percentage: 50 }], 'another destination for some visitors'],
])('a link with %s %j is refused', async (column, value, reason) => {
  for (const file of filesOf(column, value)) {
    const refusal = await refusalOf(file);
    expect(refusal).toContain(reason);
    expect(refusal).not.toContain('hunter2');
  }
});

test.each<[string, unknown]>([
  ['disabledAt', null],
  ['status', '302'],
  ['state', 'ACTIVE'],
  ['status', ' Live '],
  ['status', 1],
  ['status', null],
  ['password', 'FALSE'],
  ['password', false],
  ['secret_key', ''],
  ['maxVisits', 0],
  ['maxVisits', null],
  ['validSince', '2020-01-01T00:00:00Z'],
  ['geo', {}],
  ['geo', null],
  ['deviceLongUrls', { android: null, ios: null, desktop: null }],
  ['testVariants', []],
])('a link with %s %j is no different from others', async (column, value) => {
  for (const file of filesOf(column, value).slice(typeof value === 'object' && value !== null ? 1 : 0))
    expect(await linksOf(file)).toEqual([OPEN]);
});

test.each([
  'expiration',
  'expires',
  'expiry',
  'expiry_time',
  'expire_at',
  'expiration_date',
  'validUntil',
  'expire_in',
  'Expires at',
  'expires_on',
  'expired_at',
  'valid_to',
  'activeUntil',
  'expire_at_datetime',
  'deactivate_at',
  'end_time',
  'expiration_at',
  'expire_time',
  'ends_on',
  'link_expiry',
  'enddate',
  'expirydate',
  'valid_till',
  'close_date',
  'closes_at',
  'terminates_at',
  'sunset_at',
])('the expiry in the column %s is kept', async (column) => {
  for (const value of [1900000000, '2030-03-17 17:46:40', '2030-03-17T17:46:40Z'])
    for (const file of filesOf(column, value))
      expect(await linksOf(file)).toEqual([{ ...OPEN, expires_at: '2030-03-17T17:46:40.000Z' }]);
  for (const value of [...FALSE, '0000-00-00 00:00:00', 'never'])
    for (const file of filesOf(column, value)) expect(await linksOf(file)).toEqual([OPEN]);
  expect(await refusalOf(filesOf(column, '2 days')[0]!)).toBe(
    'The expiry "2 days" cannot be read; write it like 2024-03-01T10:00:00Z.',
  );
});

test.each([
  'sender',
  'friend_limit',
  'country',
  'device',
  'desktop_clicks',
  'total_clicks',
  'scans',
  'visitors',
  'last_access',
  'redirect_type',
  'store',
  'login',
  'password_resets',
  'host_required',
  'last_visit',
  'pinned',
  'shipping',
  'state_tax',
  'updated_at',
  'link_id',
  'weekend',
  'target_audience',
  'appendix',
])('the column %s is not used, and closes no link', async (column) => {
  const file = await open(filesOf(column, '7')[0]!);
  const rows = [];
  for await (const row of file.rows) rows.push(row);
  expect([rows, file.unusedColumns]).toEqual([[{ row: 2, link: OPEN }], [column]]);
});

test('of two columns with one name, each can close the link, and the earliest expiry counts', async () => {
  const csv = (cells: string) =>
    `slug,url,banned,expires,title,banned,expires,visits,visits\na,https://example.com/,${cells},1,2\n`;
  for (const cells of ['0,,T,1,', 't,,T,,', ',,T,true,'])
    expect(await refusalOf(csv(cells))).toContain('remove the row, or "banned" to open it');
  const file = await open(csv('0,2031-01-01,T,f,2030-01-01'));
  for await (const row of file.rows)
    expect(row).toEqual({ row: 2, link: { ...OPEN, title: 'T', expires_at: '2030-01-01T00:00:00.000Z' } });
  expect(file.unusedColumns).toEqual(['visits']);
});

test('of several expiries, the earliest counts', async () => {
  const csv = 'slug,url,expires_at,valid_until\na,https://example.com/,2031-01-01,2030-01-01\n';
  expect(await linksOf(csv)).toEqual([{ ...OPEN, expires_at: '2030-01-01T00:00:00.000Z' }]);
});

test('what Kutt, Sink, Polr and Dub close does not open', async () => {
  const kutt =
    '{"total":1,"data":[{"address":"m1","banned":true,"password":false,"expire_in":null,"target":"https://example.com/1"}]}';
  expect(await refusalOf(kutt)).toContain('"banned"');
  const table = 'address,target,banned,created_at,expire_in\n';
  expect(await refusalOf(`${table}m1,https://example.com/1,t,2024-03-01 10:00:00.123+00,\n`)).toContain('"banned"');
  const sink = '{"links":[{"slug":"m2","url":"https://example.com/2","expiration":1900000000,"createdAt":1770000000}]}';
  expect(await linksOf(sink)).toEqual([
    {
      slug: 'm2',
      destination_url: 'https://example.com/2',
      expires_at: '2030-03-17T17:46:40.000Z',
      created_at: '2026-02-02T02:40:00.000Z',
    },
  ]);
  const polr = 'short_url,long_url,ip,creator,clicks,secret_key,is_disabled,is_custom\n';
  expect(await refusalOf(`${polr}p1,https://example.com/,1.2.3.4,me,1,abc,0,0\n`)).toContain('"secret_key"');
  expect(await refusalOf(`${polr}p1,https://example.com/,1.2.3.4,me,1,,1,0\n`)).toContain('"is_disabled"');
  expect(await linksOf(`${polr}p1,https://example.com/,1.2.3.4,me,1,,0,0\n`)).toHaveLength(1);
  const dub = {
    key: 'd',
    url: 'https://example.com/',
    shortLink: 'https://dub.sh/d',
    disabledAt: null,
    ios: null,
    geo: null,
  };
  expect(await linksOf(JSON.stringify([dub]))).toHaveLength(1);
  expect(await refusalOf(JSON.stringify([{ ...dub, disabledAt: '2024-03-01T10:00:00Z' }]))).toContain('"disabledAt"');
});
