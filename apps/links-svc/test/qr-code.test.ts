import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity } from '@waymark/auth';
import { contrast, luminance } from '@waymark/service-kit';
import fc from 'fast-check';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeHost } from './support/hosts.ts';
import { PUBLIC_URL, Service, signer, type TestAccount } from './support/service.ts';

// docs/api.md, QR codes.

/** This host has an SVG as its logo. The other host has no logo. The operator's logo is a PNG. */
const SVG_HOST = 'svg.brand.example';
const PLAIN_HOST = 'plain.brand.example';
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 1"><path d="M0 0h3v1H0z"/></svg>';

let service: Service;
let account: TestAccount;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-qr-'));
  const BRAND_LOGO = join(folder, 'logo.png');
  await writeFile(BRAND_LOGO, PNG.sync.write(drawLogo(120, 80)));
  for (const host of [SVG_HOST, PLAIN_HOST]) await writeFile(join(folder, `${host}.json`), '{}');
  await writeFile(join(folder, `${SVG_HOST}.svg`), SVG);
  service = await Service.start({ brand: { BRAND_LOGO, BRAND_DIR: folder } });
  account = await service.createAccount();
  for (const host of [SVG_HOST, PLAIN_HOST]) await writeHost(service, account, host);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

/** Returns a logo that turns about half of the modules behind it, and has clear pixels around it. */
function drawLogo(width: number, height: number): PNG {
  const png = new PNG({ width, height });
  for (let y = 10; y < height - 10; y++)
    for (let x = 10; x < width - 10; x++) {
      const at = 4 * (y * width + x);
      png.data.fill((x >> 4) % 2 === (y >> 4) % 2 ? 0 : 255, at, at + 3);
      png.data[at + 3] = 255;
    }
  return png;
}

async function get(identity: Identity, id: string, query = '', method = 'GET') {
  return fetch(`${service.origin}/api/v1/links/${id}/qr${query}`, {
    method,
    headers: { 'x-waymark-identity': await signer.mint(identity) },
  });
}

function decode(image: PNG): string | undefined {
  return jsQR.default(new Uint8ClampedArray(image.data), image.width, image.height)?.data;
}

test('a scanner reads the short URL in a PNG of any size, margin and level', async () => {
  const link = await service.createLink(account.live, { slug: 'QR-of-a-link' });
  for (const [size, margin, level] of [
    [64, 4, 'L'],
    [97, 1, 'Q'],
    [512, 4, 'M'],
    [2_048, 16, 'H'],
  ]) {
    const response = await get(account.live, link.id, `?format=png&size=${size}&margin=${margin}&level=${level}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(response.headers.get('cache-control')).toBe('private, max-age=86400');
    const image = PNG.sync.read(Buffer.from(await response.arrayBuffer()));
    expect([image.width, image.height, decode(image)]).toEqual([size, size, `${PUBLIC_URL}/QR-of-a-link`]);
  }
});

test('the default is an SVG of 512 pixels with a margin of 4 modules, and HEAD has its length', async () => {
  const link = await service.createLink(account.live, { slug: 'qr-default' });
  const response = await get(account.live, link.id);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  const svg = await response.text();
  // Version 3 has 29 modules, and the margin 2 times 4.
  expect(svg).toMatch(/^<svg [^>]*width="512" height="512" viewBox="0 0 37 37"/);
  expect(await (await get(account.live, link.id, '?size=512&margin=4&level=M&format=svg')).text()).toBe(svg);
  const head = await get(account.live, link.id, '', 'HEAD');
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(Buffer.byteLength(svg))]);
});

test('a link that the key does not see is 404', async () => {
  const hidden = await service.createLink(account.live, { visibility: 'private' });
  const other = await service.createAccount();
  expect((await get(account.live, hidden.id)).status).toBe(200);
  for (const identity of [account.public, other.live]) expect((await get(identity, hidden.id)).status).toBe(404);
  expect((await get(account.live, 'x')).status).toBe(404);
});

test.each([
  ['?format=gif', '"format" must be one of svg, png; you sent "gif".'],
  ['?size=63', '"size" must be between 64 and 2048; you sent 63.'],
  ['?size=2049', '"size" must be between 64 and 2048; you sent 2049.'],
  ['?margin=17', '"margin" must be between 0 and 16; you sent 17.'],
  ['?level=m', '"level" must be one of L, M, Q, H; you sent "m".'],
  [
    '?colour=red',
    '"colour" is not a known field; the known ones are format, size, margin, level, color, background, logo.',
  ],
  ['?size=64&size=64', '"size" must be sent once; you sent it 2 times.'],
  [
    '?size=64&margin=16&level=H',
    '"size" must be at least 81 for this link with "margin" 16 and "level" H; you sent 64.',
  ],
])('%s is 422', async (query, error) => {
  const link = await service.createLink(account.live, {
    slug: `longest-${Math.random()}`.replace('.', '').padEnd(60, 'x'),
  });
  const response = await get(account.live, link.id, query);
  expect([response.status, await response.json()]).toEqual([422, { error }]);
});

const anyColor = fc.integer({ min: 0, max: 0xff_ff_ff }).map((value) => value.toString(16).padStart(6, '0'));

test('a scanner reads every code whose colors are accepted, of any size, margin and level, and the logo hides too little', async () => {
  const slugs = ['q', 'qr-'.padEnd(30, 'x'), 'qr-'.padEnd(64, 'y')];
  for (const slug of slugs) await service.createLink(account.live, { slug });
  const style = fc.record({
    slug: fc.constantFrom(...slugs),
    color: anyColor,
    background: anyColor,
    size: fc.integer({ min: 240, max: 640 }),
    margin: fc.integer({ min: 2, max: 16 }),
    level: fc.constantFrom('L', 'M', 'Q', 'H'),
    logo: fc.boolean(),
  });
  let accepted = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(style, async ({ slug, ...query }) => {
      const response = await get(account.live, slug, `?format=png&${new URLSearchParams(entriesOf(query))}`);
      const [color, background] = [`#${query.color}`, `#${query.background}`];
      const isReadable = contrast(color, background) >= 4.5 && luminance(color) < luminance(background);
      if (!isReadable) {
        refused++;
        const { error } = (await response.json()) as { error: string };
        expect(response.status).toBe(422);
        expect(error).toMatch(
          /^"color" must be darker than "background", with a contrast of at least 4\.5:1, or scanners/,
        );
        return;
      }
      accepted++;
      expect(response.status, response.ok ? '' : await response.text()).toBe(200);
      const image = PNG.sync.read(Buffer.from(await response.arrayBuffer()));
      expect([image.width, decode(image)]).toEqual([query.size, `${PUBLIC_URL}/${slug}`]);
    }),
    { numRuns: 60, endOnFailure: true },
  );
  expect(accepted).toBeGreaterThan(5);
  expect(refused).toBeGreaterThan(5);
});

test('the pixels have the colors, and the logo is in the middle, as large as a sixteenth of the code at most', async () => {
  const { id } = await service.createLink(account.live, { slug: 'qr-colors' });
  const read = async (query: string) =>
    PNG.sync.read(Buffer.from(await (await get(account.live, id, `?format=png&${query}`)).arrayBuffer()));
  const colored = await read('color=%231F5FBF&background=ffee00&size=370&level=H');
  const colors = new Set(pixelsOf(colored));
  expect(colors).toEqual(new Set(['1f5fbf', 'ffee00']));
  const plain = pixelsOf(await read('size=410&level=H&margin=2'));
  const withLogo = pixelsOf(await read('size=410&logo=true&margin=2'));
  const different = plain.flatMap((pixel, n) => (pixel === withLogo[n] ? [] : [[n % 410, Math.floor(n / 410)]]));
  for (const axis of [0, 1]) {
    const values = different.map((position) => position[axis]!);
    // Version 4 has 33 modules, and the logo 7 of them.
    const module = 410 / 37;
    expect(Math.min(...values)).toBeGreaterThanOrEqual(Math.floor(15 * module));
    expect(Math.max(...values)).toBeLessThan(Math.ceil(22 * module));
  }
  expect(different.length).toBeGreaterThan(2_000);
});

test('an SVG holds the logo as an image', async () => {
  const link = await service.createLink(account.live, { slug: 'qr-svg', host: SVG_HOST });
  const response = await get(account.live, link.id, '?logo=true&background=ffffee');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  const data = `data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`;
  const svg = await response.text();
  expect(svg).toContain('fill="#ffffee"');
  expect(svg).toContain(`<image x="17.5" y="17.5" width="6" height="6" href="${data}"/></svg>`);
});

test.each([
  [
    SVG_HOST,
    'logo=true&format=png',
    '"format" must be svg with "logo": the logo is an SVG file, and only a PNG file can be drawn into a PNG.',
  ],
  [PLAIN_HOST, 'logo=true', '"logo" must be false for this link: the operator has set no logo for its host.'],
  [null, 'logo=yes', '"logo" must be one of true, false; you sent "yes".'],
  [
    null,
    'color=red',
    '"color" must be a color such as #1f5fbf, where "#" is sent as "%23" or left out; you sent "red".',
  ],
  [
    null,
    'color=ffffff&background=000',
    '"background" must be a color such as #1f5fbf, where "#" is sent as "%23" or left out; you sent "000".',
  ],
  [
    null,
    'color=777777',
    '"color" must be darker than "background", with a contrast of at least 4.5:1, or scanners cannot read the code; it is 4.48:1 for #777777 on #ffffff.',
  ],
  [
    null,
    'color=ffffff&background=000000',
    '"color" must be darker than "background", with a contrast of at least 4.5:1, or scanners cannot read the code; it is 21.00:1 for #ffffff on #000000.',
  ],
])('on %s, %s is 422', async (host, query, error) => {
  const link = await service.createLink(account.live, { host });
  const response = await get(account.live, link.id, `?${query}`);
  expect([response.status, await response.json()]).toEqual([422, { error }]);
});

function entriesOf(query: object): [string, string][] {
  return Object.entries(query).map(([name, value]) => [name, String(value)]);
}

function pixelsOf({ data }: PNG): string[] {
  return Array.from({ length: data.length / 4 }, (_, n) => data.subarray(4 * n, 4 * n + 3).toString('hex'));
}

describe('over gRPC', () => {
  const getQrCode = async (identity: Identity, id: string, size?: number) =>
    service.links.getQrCode({ id, ...(size !== undefined && { size }) }, await service.as(identity));

  test('the code is the PNG that REST draws by default, of any size', async () => {
    const link = await service.createLink(account.live, { slug: 'qr-over-grpc' });
    for (const size of [undefined, 200, 2_048]) {
      const { shortUrl, png } = await getQrCode(account.live, link.id, size);
      const rest = await get(account.live, link.id, `?format=png&size=${size ?? 512}`);
      expect(Buffer.from(png).equals(Buffer.from(await rest.arrayBuffer()))).toBe(true);
      expect([shortUrl, decode(PNG.sync.read(Buffer.from(png)))]).toEqual([link.short_url, link.short_url]);
    }
  });

  test('a link that the key does not see is not found, and sizes have the bounds and words of REST', async () => {
    const hidden = await service.createLink(account.live, { visibility: 'private' });
    await expect(getQrCode(account.public, hidden.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(getQrCode(account.live, hidden.id, 63)).rejects.toMatchObject({
      code: 'invalid',
      message: '"size" must be between 64 and 2048; you sent 63.',
    });
  });
});
