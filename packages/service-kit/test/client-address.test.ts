import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpApp, createLogger } from '../src/index.ts';

// The address of a client, for limits, visitors and countries: `request.ip`, and `clientAddress` of what an
// interceptor serves. Both are tested, over real connections.

const apps: FastifyInstance[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

async function start(trustProxy: string[], host = '127.0.0.1') {
  const app: FastifyInstance = createHttpApp({
    logger: createLogger({ service: 'test', level: 'silent' }),
    trustProxy,
    intercept(request, response, next) {
      if (request.url !== '/intercepted') return next();
      response.end(app.clientAddress(request));
    },
  });
  await app.register(async (scope) => {
    scope.get('/routed', async ({ ip }) => ip);
  });
  await app.listen({ host, port: 0 });
  apps.push(app);
  const { port } = app.server.address() as AddressInfo;
  const ask = (path: string, forwarded: string | string[] | undefined, through: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
      const sent = request({ host: through, port, path, headers, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject).end();
    });
  return async (forwarded?: string | string[], through = '127.0.0.1') => {
    const [routed, intercepted] = [
      await ask('/routed', forwarded, through),
      await ask('/intercepted', forwarded, through),
    ];
    expect(intercepted).toBe(routed);
    return routed;
  };
}

describe('behind a trusted proxy, with another in 10.0.0.0/8 and in fd00::/8', () => {
  const TRUSTED = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'];

  test.each<[string, string, string[]]>([
    ['with ports', '8.8.8.8', ['8.8.8.8', '8.8.8.8:5001', '8.8.8.8:5002', ' 8.8.8.8:5003 ']],
    ['in quotes', '8.8.8.8', ['"8.8.8.8"', '"8.8.8.8:5001"']],
    ['mapped to IPv6', '8.8.8.8', ['::ffff:8.8.8.8', '::ffff:808:808', '[::ffff:8.8.8.8]:1', '0:0:0:0:0:FFFF:8.8.8.8']],
    [
      'in spellings of IPv6',
      '2001:4860:4860::8888',
      ['2001:4860:4860::8888', '2001:4860:4860:0:0:0:0:8888', '2001:4860:4860:0000::8888', '2001:4860:4860::8888%eth0'],
    ],
    [
      'in brackets',
      '2001:4860:4860::8888',
      ['[2001:4860:4860::8888]', '[2001:4860:4860::8888]:443', '"[2001:4860:4860::8888]:5001"'],
    ],
    [
      'and then a proxy with a port',
      '8.8.8.8',
      [
        '8.8.8.8, 10.0.0.1:4444',
        '8.8.8.8:1, [::ffff:10.0.0.1]:4445',
        '8.8.8.8, [fd00::1]:443',
        '8.8.8.8,"[FD00:0::1]"',
      ],
    ],
    ['after what a client wrote itself', '8.8.8.8', ['1.1.1.1, 8.8.8.8:9', '"1.1.1.1:1", 8.8.8.8, 10.0.0.1:1']],
    ['with empty elements', '8.8.8.8', ['8.8.8.8,,', ', 8.8.8.8 , ,10.0.0.1', ',8.8.8.8']],
    ['of proxies only: the first one', '10.0.0.2', ['10.0.0.2:7, 10.0.0.1:4444', '10.0.0.2']],
  ])('the address is the client’s: %s', async (_name, address, headers) => {
    const addressOf = await start(TRUSTED);
    for (const header of headers) expect({ header, address: await addressOf(header) }).toEqual({ header, address });
  });

  test.each(['unknown', '_hidden', 'localhost', '8.8.8', '8.8.8.8:x', '"', '1'.repeat(40), 'é'])(
    '%j is no address: the client is the proxy that reported it',
    async (token) => {
      const addressOf = await start(TRUSTED);
      expect(await addressOf(token)).toBe('127.0.0.1');
      expect(await addressOf(`8.8.8.8, ${token}`)).toBe('127.0.0.1');
      expect(await addressOf(`8.8.8.8, ${token}, 10.0.0.1:80`)).toBe('10.0.0.1');
      expect(await addressOf(`${token}, 8.8.8.8`)).toBe('8.8.8.8');
    },
  );

  test('two headers are one list', async () => {
    const addressOf = await start(TRUSTED);
    expect(await addressOf(['1.1.1.1', '8.8.8.8:5001', '10.0.0.1:1'])).toBe('8.8.8.8');
  });

  test('no more than 32 proxies are examined, so that a long header costs no time', async () => {
    const addressOf = await start(TRUSTED);
    const chainOf = (count: number) => Array.from({ length: count }, (_, n) => `10.0.0.${n + 1}`).reverse();
    expect(await addressOf(['8.8.8.8', ...chainOf(31)].join(','))).toBe('8.8.8.8');
    expect(await addressOf(['8.8.8.8', ...chainOf(32)].join(','))).toBe('10.0.0.32');
    expect(await addressOf(['8.8.8.8', ...chainOf(200)].join(','))).toBe('10.0.0.32');
    expect(await addressOf(`8.8.8.8${','.repeat(5_000)}`)).toBe('127.0.0.1');
  });
});

test.each([[[]], [['10.0.0.0/8']]])('the header of a client that is not in %j is ignored', async (trusted) => {
  const addressOf = await start(trusted);
  for (const header of [undefined, '8.8.8.8', '8.8.8.8:5001', '127.0.0.1:1', 'unknown'])
    expect(await addressOf(header)).toBe('127.0.0.1');
});

test('on a socket of both families, an IPv4 peer has its IPv4 address and is trusted as such', async () => {
  const addressOf = await start(['127.0.0.1'], '::');
  expect(await addressOf()).toBe('127.0.0.1');
  expect(await addressOf('8.8.8.8:5001')).toBe('8.8.8.8');
  expect(await addressOf('8.8.8.8:5001', '::1')).toBe('::1');
});

test.each(['::ffff:127.0.0.1', '::ffff:127.0.0.0/120', '127.0.0.0/8'])(
  'the proxy may be written as %s',
  async (proxy) => {
    const addressOf = await start([proxy]);
    expect(await addressOf('8.8.8.8:5001')).toBe('8.8.8.8');
  },
);
