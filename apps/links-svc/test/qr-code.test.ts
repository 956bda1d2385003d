import type { Identity } from '@waymark/auth';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PUBLIC_URL, Service, signer, type TestAccount } from './support/service.ts';

// docs/api.md, QR codes.

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await Service.start();
  account = await service.createAccount();
});
afterAll(() => service.close());

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
  ['?colour=red', '"colour" is not a known field; the known ones are format, size, margin, level.'],
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
