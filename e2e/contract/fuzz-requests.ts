import { ANALYTICS_PARTS, Link } from '@waymark/contract';
import fc from 'fast-check';

const LINK_FIELDS = Object.keys(Link.properties);

/** A request that is sent without changes, except for the `@` in `path`. */
export interface FuzzRequest {
  method: string;
  /** May refer to the id (`@id/3`) or the slug (`@slug/3`) of a link, or to a job (`@job/3`), that exists or existed. */
  path: string;
  key: 'live' | 'public' | 'none' | string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** Whether the body is sent chunked, without a Content-Length. */
  isChunked: boolean;
}

/** Checks whether the path is valid in an HTTP request line. If not, the document does not describe the response. */
export function isHttp({ path }: Pick<FuzzRequest, 'path'>): boolean {
  return /^[\x21-\x7e]*$/.test(path);
}

/** A text in every password, so that the test can search for it in logs and responses. */
export const SECRET = 'tell-nobody';
/** A text in every note, so that the test can search for it in logs. */
export const NOTE = 'for-our-eyes';

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    ...['', ' ', '\u0000', '\ud800', '\u202e', 'null', '__proto__', '$where', '{"$gt":""}', 'é'.normalize('NFD')],
  ),
  fc.nat({ max: 6000 }).map((length) => 'x'.repeat(length)),
  fc.nat({ max: 2000 }).map((length) => '😀'.repeat(length)),
);
const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, 0, -0, 1e308, 2 ** 53, true, [], {}, [[]], { $ne: null }, { length: 1 }),
  anyText,
  fc.nat({ max: 1500 }).map((depth) => JSON.parse(`${'['.repeat(depth)}0${']'.repeat(depth)}`)),
);

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  items?: Schema;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Returns values of a schema, most of them valid and many at a bound. */
function valuesOf(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? []].flat();
  if (types.includes('null')) {
    const others = types.filter((type) => type !== 'null');
    return fc.option(valuesOf({ ...schema, type: others }, name), { nil: null });
  }
  switch (types[0]) {
    case 'integer': {
      const { minimum = 0, maximum = 1e6 } = schema;
      return fc.oneof(
        fc.integer({ min: minimum, max: maximum }),
        fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1),
      );
    }
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { maxLength: (schema.maxItems ?? 5) + 1 });
    case 'string':
      return stringsOf(schema, name);
    case 'object':
      return objectsOf(schema);
    default:
      return fc.jsonValue();
  }
}

function stringsOf({ minLength = 0, maxLength = 60, format, pattern }: Schema, name: string): fc.Arbitrary<string> {
  if (format === 'destination-url') {
    return fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc
        .tuple(fc.constantFrom('http://', 'https://', 'HTTPS://', 'ftp://', '//', 'javascript:'), anyText)
        .map((parts) => parts.join('')),
    );
  }
  if (format === 'optional-destination-url')
    return fc.oneof(fc.constant(''), stringsOf({ format: 'destination-url' }, name));
  if (format === 'optional-image-url')
    return fc.oneof(fc.constantFrom('', 'http://example.com/'), fc.webUrl({ validSchemes: ['https'] }));
  if (format === 'iana-time-zone')
    return fc.constantFrom(
      ...['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'europe/berlin', 'Mars/Base', '+02:00'],
      // Zones that skipped a day, or change by half an hour.
      ...['Pacific/Apia', 'Pacific/Kwajalein', 'Australia/Lord_Howe'],
    );
  if (format === 'iso-date') return dates;
  if (format === 'host' || format === 'domain')
    return fc.oneof(
      fc.domain(),
      fc.constantFrom('example.com', 'EXAMPLE.com.', '[::1]', '127.1', 'é.example', 'a:80', ''),
    );
  if (format === 'expiry' || format === 'moment' || format === 'rfc3339')
    return fc.oneof(dates, times, fc.constant(''));
  if (format === 'analytics-parts') return listsOf(ANALYTICS_PARTS);
  if (format === 'link-fields') return listsOf(LINK_FIELDS);
  if (name === 'password' || name === 'note') {
    const mark = name === 'note' ? NOTE : SECRET;
    return fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `${mark}${text}`);
  }
  if (pattern?.startsWith('^[A-Za-z0-9]')) return fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,64}$/);
  if (format === 'hashtag') return fc.stringMatching(/^#?[a-zA-Zäößñ中文0-9_-]{0,12}$/);
  const bounds = [minLength, maxLength, maxLength + 1].map((length) => fc.constant('ü'.repeat(length)));
  return fc.oneof(
    { weight: 5, arbitrary: fc.string({ unit: 'grapheme', maxLength: Math.min(maxLength, 40) }) },
    ...bounds,
  );
}

const dates = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.integer({ min: 0, max: 400 }).map((daysAgo) => isoDate(Date.now() - daysAgo * 86_400_000)),
  },
  fc.constantFrom(
    ...['2011-12-29', '2011-12-30', '2011-12-31', '1993-08-21', '2024-02-29', '2025-02-29', '2026-13-01'],
  ),
  fc.constantFrom('0000-01-01', '0001-01-01', '1899-12-31', '1969-12-31', '1970-01-01', '9999-12-31', '2026-1-1'),
);
const times = fc.oneof(
  fc.integer({ min: -86_400_000, max: 86_400_000 }).map((fromNowMs) => new Date(Date.now() + fromNowMs).toISOString()),
  dates.map((date) => `${date}T23:59:59.999+14:00`),
  fc.constantFrom('2026-11-21T09:00:00+01:00', '2026-11-21 09:00:00Z', '2026-11-21T24:00:00Z', 'tomorrow'),
);

function isoDate(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Returns comma-separated names, most of them valid. */
function listsOf(names: readonly string[]): fc.Arbitrary<string> {
  const list = (of: readonly string[]) => fc.array(fc.constantFrom(...of), { maxLength: 5 }).map((some) => some.join());
  return fc.oneof(
    { weight: 6, arbitrary: fc.subarray([...names]).map((some) => some.join()) },
    list([...names, '', 'x']),
  );
}

/** Returns objects of a schema, in which some fields are missing, invalid or unknown. */
function objectsOf(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const value = fc.oneof({ weight: 12, arbitrary: valuesOf(property, name) }, { weight: 1, arbitrary: anyJson });
    const isRequired = schema.required?.includes(name) === true;
    const isSent = fc.nat({ max: 19 }).map((n) => (isRequired ? n > 0 : n < (name === 'password' ? 1 : 5)));
    return fc.tuple(fc.constant(name), isSent, value);
  });
  const unknown = fc.tuple(
    fc.oneof(anyText, fc.constantFrom('id', 'clicks', '__proto__', 'constructor')),
    fc.nat({ max: 9 }).map((n) => n === 0),
    anyJson,
  );
  return fc
    .tuple(...fields, unknown)
    .map((all) => Object.fromEntries(all.filter(([, isSent]) => isSent).map(([name, , value]) => [name, value])));
}

const garbageBytes = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
function bodiesOf(schema: Schema): fc.Arbitrary<Buffer | undefined> {
  const json = objectsOf(schema).map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 20, arbitrary: json.map((text) => Buffer.from(text)) },
    { weight: 2, arbitrary: anyJson.map((value) => Buffer.from(JSON.stringify(value) ?? '')) },
    { weight: 1, arbitrary: json.map((text) => Buffer.from(text, 'utf16le')) },
    { weight: 1, arbitrary: json.map((text) => Buffer.from(`\ufeff${text}`)) },
    { weight: 1, arbitrary: json.map((text) => Buffer.from(text.slice(0, -1))) },
    { weight: 1, arbitrary: json.map((text) => Buffer.from(text, 'latin1')) },
    { weight: 1, arbitrary: garbageBytes },
    {
      weight: 1,
      arbitrary: fc.nat({ max: 140_000 }).map((length) => Buffer.from(`{"note":"${NOTE}${'x'.repeat(length)}"}`)),
    },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

const encoded = fc.oneof(
  // Short enough that no path exceeds Node's limit for a request's headers.
  anyText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 1_500)),
  fc.constantFrom('%', '%zz', '%ff%fe', '%00', '+', '%20', '%E2%80%AE', '%c0%ae', '%25'),
);
function queriesOf(parameters: { name: string; schema: Schema }[]): fc.Arbitrary<string> {
  const known = parameters.map(({ name, schema }) =>
    fc.tuple(
      fc.nat({ max: 9 }).map((n) => n < 3),
      fc.constant(name),
      fc.oneof(
        {
          weight: 5,
          arbitrary: valuesOf(schema, name).map((value) =>
            encodeURIComponent(String(value).toWellFormed()).slice(0, 2_500),
          ),
        },
        { weight: 1, arbitrary: encoded },
        {
          weight: 1,
          arbitrary: fc.constantFrom('', '1.5', '1e2', '%201', '-1', '0x10', '%D9%A3', '99999999999999999999', 'NaN'),
        },
      ),
    ),
  );
  const unknown = fc.tuple(
    fc.nat({ max: 9 }).map((n) => n === 0),
    encoded,
    encoded,
  );
  const isRepeated = fc.nat({ max: 19 }).map((n) => n === 0);
  return fc.tuple(isRepeated, ...known, unknown).map(([repeat, ...all]) => {
    const parts = all.filter(([isSent]) => isSent).map(([, name, value]) => `${name}=${value}`);
    if (repeat && parts[0] !== undefined) parts.push(parts[0]);
    return parts.length === 0 ? '' : `?${parts.join('&')}`;
  });
}

/** Header values with any character that HTTP allows in them. */
const headerValue = fc.oneof(
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 80,
  }),
  fc.constantFrom('', '*', ',', '=', '"', 'null', '127.0.0.1', '[::1]:80', 'x'.repeat(4000)),
);
const contentType = fc.oneof(
  { weight: 14, arbitrary: fc.constant('application/json') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json; charset=utf-16', 'text/plain', ''],
      ...[
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/jsonp',
        'application/json, text/html',
      ],
    ),
  },
  { weight: 1, arbitrary: headerValue },
);
const otherHeaders = fc.dictionary(
  fc.constantFrom(
    ...[
      'accept',
      'accept-encoding',
      'accept-language',
      'cookie',
      'origin',
      'referer',
      'user-agent',
      'range',
      'x-request-id',
    ],
    ...['if-none-match', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'x-waymark-identity'],
    ...[
      'idempotency-key',
      'x-http-method-override',
      'content-encoding',
      'sec-purpose',
      'traceparent',
      'te',
      'upgrade-insecure-requests',
    ],
  ),
  headerValue,
  { maxKeys: 3 },
);
const headers = fc
  .tuple(
    contentType,
    otherHeaders,
    fc.constantFrom<Record<string, string>>({}, {}, { accept: 'text/html' }, { accept: 'application/json' }),
  )
  .map(([type, others, accept]) => ({ 'content-type': type, ...accept, ...others }));
const key = fc.oneof(
  { weight: 10, arbitrary: fc.constant('live') },
  { weight: 6, arbitrary: fc.constant('public') },
  { weight: 1, arbitrary: fc.constant('none') },
  { weight: 1, arbitrary: headerValue.map((value) => value.trim()) },
);

const id = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 39 }).map((n) => `@id/${n}`) },
  { weight: 2, arbitrary: encoded },
);
const slug = fc.oneof(
  { weight: 3, arbitrary: fc.nat({ max: 39 }).map((n) => `@slug/${n}`) },
  { weight: 2, arbitrary: encoded },
);
const scope = fc.oneof(fc.constantFrom('full_access', 'public_links_only'), encoded);
const asTheyAre = (min: number, max: number) =>
  fc.string({ unit: fc.integer({ min, max }).map((code) => String.fromCharCode(code)), maxLength: 30 });
const strangePath = fc.oneof(
  encoded.map((text) => `/${text}`),
  fc.array(encoded, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
  fc.array(encoded, { maxLength: 3 }).map((parts) => `/api/v1/${parts.join('/')}`),
  fc.constantFrom(
    ...[
      '/',
      '//',
      '/api',
      '/api/',
      '/api/v1',
      '/api/v2/links',
      '/api/v1/links/',
      '/api/v1/links//',
      '/api/v1/links/x/y',
      '/API/V1/ME',
    ],
    ...[
      '/api/v1/../v1/me',
      '/api/v1/%2e%2e/me',
      '/api/v1/links/..',
      '/api/v1/links/%2e%2e%2fme',
      '/../../etc/passwd',
      '/docs',
      '/docs/',
    ],
    ...[
      '/openapi.json',
      '/livez',
      '/readyz',
      '/healthz',
      '/metrics',
      '/robots.txt',
      '/.well-known/oauth-authorization-server',
    ],
    ...[
      '/docs/docs.js',
      '/docs/../openapi.json',
      '/?',
      '/#',
      '/;x=y',
      '/api/v1/me;x',
      '/api/v1/me?',
      '/%',
      `/${'a'.repeat(3000)}`,
    ],
  ),
  // Raw characters that a client should have encoded.
  asTheyAre(0x21, 0x7e).map((text) => `/${text}`),
  asTheyAre(0x21, 0xff).map((text) => `/${text}`),
  asTheyAre(0x80, 0xff).map((text) => `/api/v1/links/${text}?q=${text}`),
  fc.constantFrom('é', '夏の', 'звезда', '😀').map((text) => `/${Buffer.from(text).toString('latin1')}`),
  // Longer than any slug, id or search, up to what Node accepts.
  fc
    .tuple(
      fc.constantFrom('/', '/api/v1/links/', '/api/v1/links?q=', '/docs/', '/x?y='),
      fc.constantFrom('a', '%20', '%E5%A4%8F', '%', '/', '&a=', '\xe9'),
      fc.integer({ min: 1_000, max: 11_000 }),
    )
    .map(([start, part, length]) => start + part.repeat(length / part.length)),
);

const jobId = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 39 }).map((n) => `@job/${n}`) },
  { weight: 1, arbitrary: encoded },
);

/** The hashtag of imported links, which jobs edit and delete. */
const IMPORTED = 'imported';
const IMPORT_TYPES = ['text/csv', 'application/x-ndjson', 'application/json', 'application/octet-stream', 'text/plain'];
const cell = fc.oneof(fc.webUrl(), anyText, fc.constantFrom('', '"', 'https://example.com/', '2024-01-01', '1', 'x,y'));
/** Small files of links, right and wrong. */
const linkFile = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(fc.webUrl(), { minLength: 1, maxLength: 6 })
      .map((urls) => Buffer.from(['url,hashtags', ...urls.map((url) => `"${url}",${IMPORTED}`)].join('\n'))),
  },
  fc
    .tuple(
      fc.constantFrom('url', 'destination_url,slug,title', 'Long URL;Title;Tags', 'slug\tdestination_url', 'a,b', ''),
      fc.array(fc.array(cell, { maxLength: 4 }), { maxLength: 6 }),
      fc.constantFrom('\n', '\r\n', '\r'),
    )
    .map(([header, rows, end]) => Buffer.from([header, ...rows.map((cells) => cells.join(','))].join(end))),
  fc
    .array(fc.record({ destination_url: cell, slug: cell, hashtags: anyJson }, { requiredKeys: [] }), { maxLength: 5 })
    .chain((rows) =>
      fc.constantFrom(
        JSON.stringify(rows),
        rows.map((row) => JSON.stringify(row)).join('\n'),
        JSON.stringify({ rows }),
      ),
    )
    .map((text) => Buffer.from(text)),
  fc.string({ maxLength: 60 }).map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
  garbageBytes,
);

interface ApiDocument {
  paths: Record<string, Record<string, { parameters?: { name: string; in: string; schema: Schema }[] }>>;
  components: { schemas: Record<string, Schema> };
}

/** Returns the document with schemas in place of the references to them. */
function inlined(document: ApiDocument): ApiDocument {
  const { schemas } = document.components;
  return JSON.parse(JSON.stringify(document), (_, value) => {
    const reference = typeof value?.$ref === 'string' ? value.$ref : '';
    return schemas[reference.replace('#/components/schemas/', '')] ?? value;
  });
}

/** Returns requests generated from the document's schemas and from garbage. */
export function fuzzRequests(document: object): fc.Arbitrary<FuzzRequest> {
  const { paths, components } = inlined(document as ApiDocument);
  const isInQuery = (parameter: { in: string }) => parameter.in === 'query';
  const queryOf = (path: string) => queriesOf((paths[path]?.get?.parameters ?? []).filter(isInQuery));
  const create = bodiesOf(components.schemas.CreateLinkInput!);
  const update = bodiesOf(components.schemas.UpdateLinkInput!);
  const operation = fc.record(
    {
      op: fc.constantFrom('create', 'create', 'update', 'update', 'delete', 'upsert'),
      id: fc.oneof(fc.constant('@id/1'), anyText),
      link: fc.oneof(
        { weight: 6, arbitrary: objectsOf(components.schemas.CreateLinkInput!) },
        { weight: 1, arbitrary: anyJson },
      ),
    },
    { requiredKeys: ['op'] },
  );
  const bulk = fc
    .array(fc.oneof({ weight: 8, arbitrary: operation }, { weight: 1, arbitrary: anyJson }), { maxLength: 6 })
    .map((operations) => Buffer.from(JSON.stringify({ operations })));
  const session = bodiesOf(components.schemas.CreateSessionInput!);
  const jobFilter = objectsOf(components.schemas.JobFilter!);
  const change = fc.oneof(
    fc.constantFrom({ add_hashtags: ['edited'] }, { archived: true }, { title: 'Edited' }),
    objectsOf(components.schemas.JobChange!),
  );
  const jobOf = (filter: fc.Arbitrary<unknown>, dry_run: fc.Arbitrary<boolean>) =>
    fc.oneof(
      fc.record({ kind: fc.constant('edit'), filter, change, dry_run }),
      fc.record({ kind: fc.constant('delete'), filter, dry_run }),
      fc.record(
        { kind: fc.constantFrom('edit', 'delete', 'import'), filter, change, dry_run },
        { requiredKeys: ['dry_run'] },
      ),
    );
  // Jobs change imported links only, because the other requests need theirs.
  const imported = fc.constant({ hashtag: IMPORTED });
  const importedSome = fc.tuple(jobFilter, imported).map(([some, only]) => ({ ...some, ...only }));
  const job = fc
    .oneof(
      jobOf(fc.oneof(fc.constant({ all: true }), jobFilter, anyJson), fc.constant(true)),
      jobOf(fc.oneof(imported, importedSome), fc.boolean()),
    )
    .map((value) => Buffer.from(JSON.stringify(value)));
  const importQuery = fc.oneof(
    { weight: 4, arbitrary: queriesOf(paths['/api/v1/jobs/import']!.post!.parameters!.filter(isInQuery)) },
    fc
      .constantFrom('{"destination_url":"a"}', '{"title":"a"}', '{"destination_url":"x"}')
      .map((columns) => `?columns=${encodeURIComponent(columns)}`),
  );
  const none = fc.constant(undefined);
  const form = fc.oneof(
    encoded.map((text) => Buffer.from(`password=${SECRET}${text}`)),
    encoded.map((text) => Buffer.from(text)),
    garbageBytes,
  );
  const row = (
    weight: number,
    methods: string[],
    path: fc.Arbitrary<string>,
    body: fc.Arbitrary<Buffer | undefined>,
    fixed: Record<string, string> = {},
  ) => ({
    weight,
    arbitrary: fc.record({
      method: fc.constantFrom(...methods),
      path,
      key,
      headers: headers.map((sent) => ({ ...sent, ...fixed })),
      body,
      isChunked: fc.nat({ max: 9 }).map((n) => n === 0),
    }),
  });
  const join = (...parts: (string | fc.Arbitrary<string>)[]) =>
    fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((all) => all.join(''));
  const methods = [
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
    'QUERY',
    'M-SEARCH',
  ];
  const formType = { 'content-type': 'application/x-www-form-urlencoded' };
  const requests = fc.oneof(
    row(2, ['GET', 'HEAD'], fc.constant('/api/v1/me'), none),
    row(2, ['GET', 'HEAD'], fc.constant('/api/v1/hashtags'), none),
    row(2, ['GET', 'HEAD'], join('/api/v1/auto-meta', queryOf('/api/v1/auto-meta')), none),
    row(2, ['POST'], fc.constant('/api/v1/sessions'), session),
    row(1, ['POST'], fc.constant('/api/v1/sessions/passkey'), bodiesOf(components.schemas.PasskeySignInInput!)),
    row(1, ['POST'], fc.constant('/api/v1/sessions/passkey/options'), fc.oneof(none, session, garbageBytes)),
    row(1, ['GET', 'HEAD'], fc.constant('/api/v1/me/passkeys'), none),
    row(1, ['POST'], fc.constant('/api/v1/me/passkeys'), bodiesOf(components.schemas.AddPasskeyInput!)),
    row(1, ['POST'], fc.constant('/api/v1/me/passkeys/options'), fc.oneof(none, session, garbageBytes)),
    row(1, ['DELETE'], join('/api/v1/me/passkeys/', id), fc.oneof(none, garbageBytes)),
    row(1, ['GET', 'HEAD'], fc.constant('/api/v1/me/filters'), none),
    row(1, ['POST'], fc.constant('/api/v1/me/filters'), bodiesOf(components.schemas.SaveFilterInput!)),
    row(1, ['DELETE'], join('/api/v1/me/filters/', id), fc.oneof(none, garbageBytes)),
    row(1, ['GET', 'HEAD'], fc.constant('/api/v1/hosts'), none),
    row(2, ['POST'], fc.constant('/api/v1/hosts'), bodiesOf(components.schemas.AddHostInput!)),
    row(1, ['GET', 'HEAD'], join('/api/v1/hosts/', id), none),
    row(2, ['PUT'], join('/api/v1/hosts/', id), bodiesOf(components.schemas.UpdateHostInput!)),
    row(1, ['DELETE'], join('/api/v1/hosts/', id), fc.oneof(none, garbageBytes)),
    row(1, ['POST'], join('/api/v1/hosts/', id, '/verify'), fc.oneof(none, session, garbageBytes)),
    row(1, ['DELETE'], fc.constant('/api/v1/sessions/current'), fc.oneof(none, garbageBytes)),
    row(1, ['GET', 'HEAD'], fc.constant('/api/v1/me/keys'), none),
    row(1, ['DELETE'], join('/api/v1/me/keys/', scope), fc.oneof(none, garbageBytes)),
    row(1, ['POST'], join('/api/v1/me/keys/', scope, '/rotate'), fc.oneof(none, session, garbageBytes)),
    row(12, ['GET', 'GET', 'HEAD'], join('/api/v1/links', queryOf('/api/v1/links')), none),
    row(20, ['POST'], fc.constant('/api/v1/links'), create),
    row(6, ['GET', 'HEAD'], join('/api/v1/links/', id), none),
    row(16, ['PUT'], join('/api/v1/links/', id), update),
    row(3, ['DELETE'], join('/api/v1/links/', id), fc.oneof(none, garbageBytes)),
    row(6, ['POST'], fc.constant('/api/v1/links/bulk'), fc.oneof({ weight: 6, arbitrary: bulk }, create)),
    row(3, ['GET', 'HEAD'], join('/api/v1/links/export', queryOf('/api/v1/links/export')), none),
    row(3, ['GET', 'HEAD'], join('/api/v1/links/', id, '/qr', queryOf('/api/v1/links/{id}/qr')), none),
    row(9, ['GET', 'HEAD'], join('/api/v1/analytics', queryOf('/api/v1/analytics')), none),
    row(8, ['POST'], fc.constant('/api/v1/jobs'), fc.oneof({ weight: 6, arbitrary: job }, create)),
    row(2, ['GET', 'HEAD'], fc.constant('/api/v1/jobs'), none),
    row(4, ['GET', 'HEAD'], join('/api/v1/jobs/', jobId, fc.constantFrom('', '/refused')), none),
    // Without a body, but with a Content-Type, they are refused.
    row(
      6,
      ['POST'],
      join('/api/v1/jobs/', jobId, fc.constantFrom('/cancel', '/undo')),
      fc.oneof({ weight: 6, arbitrary: fc.constant(Buffer.from('{}')) }, none, garbageBytes),
    ),
    ...IMPORT_TYPES.map((type) =>
      row(2, ['POST'], join('/api/v1/jobs/import', importQuery), linkFile, { 'content-type': type }),
    ),
    row(
      6,
      ['GET', 'HEAD'],
      join(
        '/',
        slug,
        fc.oneof(
          fc.constant(''),
          encoded.map((text) => `?${text}=${text}`),
        ),
      ),
      none,
    ),
    row(2, ['POST'], join('/', slug), form, formType),
    row(2, ['POST'], join('/', slug), create),
    row(8, methods, strangePath, fc.oneof(none, create, garbageBytes)),
    row(
      4,
      methods,
      fc.constantFrom('/api/v1/me', '/api/v1/links', '/api/v1/links/@id/1', '/api/v1/analytics', '/@slug/1'),
      fc.oneof(none, create),
    ),
  );
  // Invalid HTTP is rejected with a body for any method, and clients cannot read a body after a HEAD request.
  return requests.map((request) =>
    request.method === 'HEAD' && !isHttp(request) ? { ...request, method: 'GET' } : request,
  );
}
