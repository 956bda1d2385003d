import { expect, test } from 'vitest';
import { createGrpcClient, type GrpcClientOptions, linksV1 } from '../src/index.ts';
import { createAuthority } from './certificates.ts';
import { startLinksServer } from './servers.ts';

const authority = createAuthority('Waymark test authority');
const stranger = createAuthority('Another authority');
const server = authority.issue('links-svc');
const client = authority.issue('mcp-svc');

async function call(clientCa: string | undefined, tls: NonNullable<GrpcClientOptions['tls']> | undefined) {
  const running = await startLinksServer(
    { getLink: async () => ({ link: { id: 'x' } }) },
    { server: { tls: { ...server, ...(clientCa !== undefined && { clientCa }) } } },
  );
  const links = createGrpcClient(linksV1.LinksService, {
    address: running.address,
    ...(tls !== undefined && { tls }),
  });
  try {
    return (await links.getLink({}, { timeoutMs: 3_000 })).link?.id;
  } finally {
    links.close();
    await running.close(0);
  }
}

test('TLS: a client that trusts the authority is served', async () => {
  expect(await call(undefined, { ca: authority.cert })).toBe('x');
});

test('TLS: a client that trusts another authority or sends plain text is refused', async () => {
  await expect(call(undefined, { ca: stranger.cert })).rejects.toMatchObject({ code: 'unavailable' });
  await expect(call(undefined, undefined)).rejects.toMatchObject({ code: 'unavailable' });
});

test('mTLS: only a client with a certificate of the authority is served', async () => {
  const foreign = stranger.issue('mcp-svc');
  expect(await call(authority.cert, { ca: authority.cert, cert: client.cert, key: client.key })).toBe('x');
  await expect(call(authority.cert, { ca: authority.cert })).rejects.toMatchObject({ code: 'unavailable' });
  await expect(
    call(authority.cert, { ca: authority.cert, cert: foreign.cert, key: foreign.key }),
  ).rejects.toMatchObject({ code: 'unavailable' });
});
