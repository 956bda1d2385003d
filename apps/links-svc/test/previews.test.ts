import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGuardedAgent } from '../src/guarded-fetch/guarded-agent.ts';
import type { HostLookup } from '../src/guarded-fetch/host-lookup.ts';
import { createAddressFilter } from '../src/guarded-fetch/public-address.ts';
import { createPreviewFetcher } from '../src/previews/fetch-preview.ts';

/** The page server's address is allowed. A server at the next address is forbidden and counts connections. */
const ALLOWED = '127.0.0.1';
const FORBIDDEN = '127.0.0.2';
const PAGE =
  '<!doctype html><html><head><title>T</title><meta name="description" content="D"></head><body></body></html>';
const FOUND = { title: 'T', description: 'D' };
const NOTHING = { title: null, description: null };

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const servers: (Server | TcpServer)[] = [];
const routes = new Map<string, Handler>();
let port: number;
let forbiddenConnections = 0;
let forbiddenPort: number;

async function listen<S extends Server | TcpServer>(server: S, host: string, onPort = 0): Promise<number> {
  server.listen(onPort, host);
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  port = await listen(
    createServer((req, res) => {
      const handler = routes.get(new URL(req.url ?? '/', 'http://x').pathname);
      if (handler) handler(req, res);
      else html(PAGE)(req, res);
    }),
    ALLOWED,
  );
  // Listens on all addresses except the allowed one, so that a disguised address that is accepted ends up here.
  const forbidden = () =>
    createServer(html(PAGE)).on('connection', () => {
      forbiddenConnections += 1;
    });
  forbiddenPort = await listen(forbidden(), '0.0.0.0');
  await listen(forbidden(), '::1', forbiddenPort);
  await listen(forbidden(), FORBIDDEN, port);
});
beforeEach(() => {
  routes.clear();
  forbiddenConnections = 0;
});
afterAll(() => {
  for (const server of servers) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
});

function html(body: string | Buffer, headers: Record<string, string> = {}): Handler {
  return (_req, res) => res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
}

function redirectTo(location: string, status = 302): Handler {
  return (_req, res) => res.writeHead(status, { location }).end();
}

const names: Record<string, string[] | (() => Promise<string[]>)> = {
  'page.example': [ALLOWED],
  'loopback.example': [FORBIDDEN],
  'private.example': ['10.0.0.1', '192.168.0.1', 'fd00::1'],
  'mapped.example': ['::ffff:127.0.0.2', '::ffff:7f00:2'],
  'metadata.example': ['169.254.169.254', 'fd00:ec2::254'],
  'nat64.example': ['64:ff9b::7f00:2'],
  'zone.example': ['fe80::1%lo'],
  'junk.example': ['not an address', '', '127.1'],
  'empty.example': [],
  'mixed.example': [FORBIDDEN, ALLOWED],
  'xn--bcher-kva.example': [ALLOWED],
  'xn--frbidden-n4a.example': [FORBIDDEN],
  'failing.example': () => Promise.reject(new Error('NXDOMAIN')),
  'hanging.example': () => new Promise(() => {}),
};
const lookup: HostLookup = async (hostname) => {
  const answer = names[hostname];
  if (answer === undefined) throw new Error(`unexpected look-up of ${hostname}`);
  return typeof answer === 'function' ? answer() : answer;
};

const userAgent = 'Waymark/1.0 (+https://links.example)';
const fetcher = createPreviewFetcher({ allow: [`${ALLOWED}/32`], userAgent, lookup });
const at = (path: string, host = `${ALLOWED}:${port}`) => `http://${host}${path}`;
const fetchPath = (path: string) => fetcher.fetchPreview(at(path));

describe('"It fetches no address that is not public": literal addresses in every disguise', () => {
  const hosts = [
    ...['127.0.0.2', '127.1.2.3', 'localhost', 'LOCALHOST', 'localhost.', 'a.localhost', '0.0.0.0', '0', '127.2'],
    ...['2130706434', '0x7f000002', '017700000002', '0x7f.0.0.2', '0177.0.0.2', '0177.0x0.0.2', '127.0.2', '127.0.0x2'],
    ...['１２７.０.０.２', '①②⑦.0.0.2', '127。0。0。2', '%31%32%37.0.0.2'],
    ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.2]', '[::ffff:7f00:2]', '[0:0:0:0:0:ffff:7f00:0002]'],
    ...['[::127.0.0.2]', '[64:ff9b::127.0.0.2]', '[64:ff9b:1::7f00:2]', '[2002:7f00:2::]', '[2001:0:7f00:2::1]'],
    ...[
      '[::ffff:0:127.0.0.2]',
      '[fe80::1]',
      '[fe80::1%25lo]',
      '[fec0::1]',
      '[fc00::1]',
      '[fd00:ec2::254]',
      '[ff02::1]',
    ],
    ...['10.0.0.1', '192.168.1.1', '169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376'],
    ...['100.100.100.200', '192.0.2.1', '224.0.0.1', '255.255.255.255', '256.256.256.256', '127.0.0.2.'],
  ];

  test('none is fetched', async () => {
    const system = createPreviewFetcher({ allow: [], userAgent });
    for (const host of hosts)
      expect([host, await system.fetchPreview(`http://${host}:${forbiddenPort}/`)]).toEqual([host, NOTHING]);
    expect(forbiddenConnections).toBe(0);
  });
});

describe('"every address that a name resolves to … is checked at connection time"', () => {
  const refused = [
    ...['loopback.example', 'private.example', 'mapped.example', 'metadata.example', 'nat64.example', 'zone.example'],
    ...['junk.example', 'empty.example', 'failing.example', 'unheard-of.example'],
  ];
  test('no name is fetched without a public address', async () => {
    for (const host of refused)
      expect([host, await fetcher.fetchPreview(`http://${host}:${forbiddenPort}/`)]).toEqual([host, NOTHING]);
    expect(forbiddenConnections).toBe(0);
  });

  test('only the permitted addresses of a name are tried', async () => {
    expect(await fetcher.fetchPreview(`http://mixed.example:${port}/`)).toEqual(FOUND);
    expect(forbiddenConnections).toBe(0);
  });

  test('a second DNS response with other addresses changes nothing', async () => {
    let asked = 0;
    const rebinding = createPreviewFetcher({
      allow: [`${ALLOWED}/32`],
      userAgent,
      lookup: async () => {
        asked += 1;
        return [asked === 1 ? ALLOWED : FORBIDDEN];
      },
    });
    routes.set('/hop', redirectTo(`http://rebinding.example:${forbiddenPort}/`));
    expect(await rebinding.fetchPreview(`http://rebinding.example:${port}/`)).toEqual(FOUND);
    expect(asked).toBe(1);
    asked = 0;
    expect(await rebinding.fetchPreview(`http://rebinding.example:${port}/hop`)).toEqual(NOTHING);
    expect(asked).toBe(2);
    expect(forbiddenConnections).toBe(0);
  });

  test('the address of the connection is checked too', async () => {
    let calls = 0;
    // Accepts the address at the lookup and refuses the same address once it is connected.
    const isAllowed = () => {
      calls += 1;
      return calls === 1;
    };
    const agent = createGuardedAgent(isAllowed, lookup, 1_000);
    await expect(request(`http://page.example:${port}/`, { dispatcher: agent })).rejects.toThrow(
      'not a public address',
    );
    await agent.destroy();
  });

  test('a refused address is distinguished from one that does not respond', async () => {
    const agent = createGuardedAgent(createAddressFilter([]), lookup, 1_000);
    for (const host of ['127.0.0.1', '[::1]', 'loopback.example', 'metadata.example'])
      await expect(request(`http://${host}:${port}/`, { dispatcher: agent })).rejects.toMatchObject({
        name: 'RefusedAddressError',
      });
    await agent.destroy();
  });
});

describe('URLs that are not web pages', () => {
  test('are not fetched', async () => {
    for (const url of [
      ...['file:///etc/passwd', 'ftp://127.0.0.1/', 'javascript:alert(1)', 'data:text/html,<title>T</title>'],
      ...['http://', 'not a url', '', 'unix:/run/x.sock', 'http+unix://%2Frun%2Fx.sock/', 'http://[::1'],
    ])
      expect([url, await fetcher.fetchPreview(url)]).toEqual([url, NOTHING]);
  });

  test('neither a URL nor a redirect may have credentials', async () => {
    let authorization: string | undefined;
    routes.set('/', (req, res) => {
      authorization = req.headers.authorization;
      html(PAGE)(req, res);
    });
    expect(await fetcher.fetchPreview(`http://user:secret@${ALLOWED}:${port}/`)).toEqual(NOTHING);
    routes.set('/hop', redirectTo(`http://user:secret@${ALLOWED}:${port}/`));
    expect(await fetchPath('/hop')).toEqual(NOTHING);
    expect(authorization).toBeUndefined();
  });
});

describe('"At most 3 redirects"', () => {
  test('three are followed, including relative ones, for all statuses; a fourth is not', async () => {
    routes.set('/4', redirectTo('/3'));
    routes.set('/3', redirectTo('2', 301));
    routes.set('/2', redirectTo(`//${ALLOWED}:${port}/1?x#y`, 307));
    routes.set('/1', redirectTo(at('/end'), 308));
    expect(await fetchPath('/3')).toEqual(FOUND);
    expect(await fetchPath('/4')).toEqual(NOTHING);
  });

  test('a loop ends', async () => {
    let visits = 0;
    routes.set('/loop', (req, res) => {
      visits += 1;
      redirectTo('/loop')(req, res);
    });
    expect(await fetchPath('/loop')).toEqual(NOTHING);
    expect(visits).toBe(4);
  });

  test('each hop is checked', async () => {
    routes.set('/first', redirectTo('/hop'));
    for (const location of [
      ...[`http://${FORBIDDEN}:PORT/`, 'http://2130706434:PORT/', 'http://[::1]:PORT/', `//${FORBIDDEN}:PORT/`],
      ...['http://loopback.example:PORT/', 'http://169.254.169.254/latest/meta-data/', 'file:///etc/passwd'],
      ...['http://[', '', `\\\\${FORBIDDEN}:PORT\\`],
    ]) {
      routes.set('/hop', redirectTo(location.replace('PORT', String(forbiddenPort))));
      expect([location, await fetchPath('/first')]).toEqual([location, NOTHING]);
    }
    expect(forbiddenConnections).toBe(0);
  });

  describe('"raw UTF-8 in Location is read as UTF-8", on each hop', () => {
    /** Redirects with the bytes of a text in UTF-8, or in Latin-1. */
    const rawRedirectTo =
      (location: string, encoding: 'utf8' | 'latin1' = 'utf8'): Handler =>
      (_req, res) =>
        redirectTo(Buffer.from(location, encoding).toString('latin1'))(_req, res);
    /** All other paths have another page. */
    const RIGHT = html('<title>Right</title>');
    const titleOf = async (path: string) => (await fetchPath(path)).title;

    test('in a path', async () => {
      routes.set('/first', rawRedirectTo('/höp'));
      routes.set('/h%C3%B6p', redirectTo('/hop'));
      for (const [location, path] of [
        ['straße/日本', '/stra%C3%9Fe/%E6%97%A5%E6%9C%AC'],
        [`http://${ALLOWED}:PORT/путь`, '/%D0%BF%D1%83%D1%82%D1%8C'],
        ['/%C3%BCß', '/%C3%BC%C3%9F'],
        ['/\u{1f600}', '/%F0%9F%98%80'],
      ] as const) {
        routes.set(path, RIGHT);
        routes.set('/hop', rawRedirectTo(location.replace('PORT', String(port))));
        expect([location, await titleOf('/hop'), await titleOf('/first')]).toEqual([location, 'Right', 'Right']);
      }
    });

    test('in a query', async () => {
      let url: string | undefined;
      routes.set('/search', (req, res) => {
        url = req.url;
        html(PAGE)(req, res);
      });
      routes.set('/hop', rawRedirectTo('/search?q=grüße#ü'));
      expect(await fetchPath('/hop')).toEqual(FOUND);
      expect(url).toBe('/search?q=gr%C3%BC%C3%9Fe');
    });

    test('in a host name, whose address is checked', async () => {
      routes.set('/hop', rawRedirectTo(`http://bücher.example:${port}/`));
      expect(await fetchPath('/hop')).toEqual(FOUND);
      routes.set('/hop', rawRedirectTo(`http://förbidden.example:${forbiddenPort}/`));
      expect(await fetchPath('/hop')).toEqual(NOTHING);
      expect(forbiddenConnections).toBe(0);
    });

    test('bytes that are no UTF-8 are read as Latin-1', async () => {
      routes.set('/%C3%BC', RIGHT);
      routes.set('/hop', rawRedirectTo('/ü', 'latin1'));
      expect(await titleOf('/hop')).toBe('Right');
    });
  });

  test('cookies of one hop are not sent to the next', async () => {
    let cookie: string | undefined;
    routes.set('/set', (_req, res) => res.writeHead(302, { location: '/see', 'set-cookie': 'a=b' }).end());
    routes.set('/see', (req, res) => {
      cookie = req.headers.cookie;
      html(PAGE)(req, res);
    });
    expect(await fetchPath('/set')).toEqual(FOUND);
    expect(cookie).toBeUndefined();
  });
});

test('requests name the service in User-Agent and reveal nothing about users', async () => {
  let headers: IncomingMessage['headers'] = {};
  routes.set('/', (req, res) => {
    headers = req.headers;
    html(PAGE)(req, res);
  });
  expect(await fetcher.fetchPreview(`http://page.example:${port}/?q=1#f`)).toEqual(FOUND);
  expect(headers).toEqual({
    host: `page.example:${port}`,
    connection: 'close',
    'user-agent': userAgent,
    accept: 'text/html, application/xhtml+xml',
    'accept-encoding': 'gzip, deflate, br',
  });
});

describe('"512 KiB read"', () => {
  const filler = (bytes: number) => `<!--${'x'.repeat(bytes)}-->`;
  const head = (bytes: number) =>
    `<html><head>${filler(bytes)}<title>T</title><meta name=description content=D></head>`;

  test('metadata within is found, and metadata beyond is not', async () => {
    routes.set('/within', html(head(512 * 1024 - 200)));
    routes.set('/beyond', html(head(512 * 1024)));
    expect(await fetchPath('/within')).toEqual(FOUND);
    expect(await fetchPath('/beyond')).toEqual(NOTHING);
  });

  test('an endless body is abandoned after the head or the byte limit', async () => {
    let sent = 0;
    const endless =
      (start: string): Handler =>
      (_req, res) => {
        res.writeHead(200, { 'content-type': 'text/html' }).write(start);
        const chunk = Buffer.alloc(16_384, 'x');
        const pump = () => {
          while (!res.destroyed && res.write(chunk)) sent += chunk.length;
        };
        res.on('drain', pump);
        pump();
      };
    routes.set('/endless-body', endless(PAGE));
    routes.set('/endless-head', endless('<head><title>T</title><!--'));
    expect(await fetchPath('/endless-body')).toEqual(FOUND);
    expect(await fetchPath('/endless-head')).toEqual({ title: 'T', description: null });
    // Sockets buffer a few megabytes, while an endless read would have taken gigabytes.
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', (data: Buffer) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ] as const)('a decompression bomb in %s is limited too', async (encoding, compress) => {
    const bomb = compress(Buffer.concat([Buffer.from('<head><title>T</title><!--'), Buffer.alloc(200 * 1024 * 1024)]));
    expect(bomb.length).toBeLessThan(300_000);
    routes.set('/bomb', html(bomb, { 'content-encoding': encoding }));
    const before = process.memoryUsage().rss;
    expect(await fetchPath('/bomb')).toEqual({ title: 'T', description: null });
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('compressed pages', () => {
  const fetchEncoded = (encoding: string, body: Buffer) => {
    routes.set('/c', html(body, { 'content-encoding': encoding }));
    return fetchPath('/c');
  };

  test('are read, also with names of encodings that are none', async () => {
    for (const [encoding, body] of [
      ['x-gzip', gzipSync(PAGE)],
      ['GZIP', gzipSync(PAGE)],
      ['deflate', deflateSync(PAGE)],
      ['Deflate', deflateRawSync(PAGE, { level: 0 })],
      ['deflate', deflateRawSync(PAGE, { strategy: constants.Z_FIXED })],
      ['br', brotliCompressSync(PAGE)],
      ...['identity', '', 'UTF-8', 'nonsense', 'identity, none'].map((name) => [name, Buffer.from(PAGE)] as const),
      ['UTF-8, gzip', gzipSync(PAGE)],
      ['gzip,none', gzipSync(PAGE)],
    ] as const)
      expect([encoding, await fetchEncoded(encoding, body)]).toEqual([encoding, FOUND]);
  });

  test('are nothing if they are damaged or of an encoding that was not asked for', async () => {
    for (const [encoding, body] of [
      ['gzip', Buffer.from('this is no gzip')],
      ['gzip', gzipSync(PAGE).subarray(0, 15)],
      ['gzip, gzip', gzipSync(gzipSync(PAGE))],
      ['gzip, deflate', deflateSync(gzipSync(PAGE))],
      ['deflate', Buffer.from(PAGE)],
      ['deflate', Buffer.alloc(0)],
      ['zstd', Buffer.from(PAGE)],
      ['compress', Buffer.from(PAGE)],
    ] as const)
      expect([encoding, await fetchEncoded(encoding, body)]).toEqual([encoding, NOTHING]);
  });
});

describe('responses that are not pages', () => {
  test('have another content type, or none', async () => {
    for (const [type, found] of [
      ...['text/plain', 'application/json', 'image/png', 'text/htmlx', ''].map((type) => [type, NOTHING] as const),
      ...['TEXT/HTML', 'text/html;charset=utf-8', 'application/xhtml+xml'].map((type) => [type, FOUND] as const),
    ]) {
      routes.set('/t', html(PAGE, { 'content-type': type }));
      expect([type, await fetchPath('/t')]).toEqual([type, found]);
    }
    routes.set('/t', (_req, res) => res.writeHead(200).end(PAGE));
    expect(await fetchPath('/t')).toEqual(NOTHING);
  });

  test('have the status of an error', async () => {
    for (const status of [204, 206, 304, 300, 400, 404, 500]) {
      routes.set('/s', (_req, res) => res.writeHead(status, { 'content-type': 'text/html' }).end(PAGE));
      expect([status, await fetchPath('/s')]).toEqual([status, status === 206 ? FOUND : NOTHING]);
    }
  });

  test('a page’s own charset is used', async () => {
    const body = Buffer.concat([Buffer.from('<title>'), Buffer.from([0xcf, 0xf0, 0xe8]), Buffer.from('</title>')]);
    routes.set('/t', html(body, { 'content-type': 'text/html; charset=windows-1251' }));
    expect(await fetchPath('/t')).toEqual({ title: 'При', description: null });
  });
});

describe('misbehaving servers', () => {
  const BYTES = [
    ['hangs up at once', ''],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['breaks off in the headers', 'HTTP/1.1 200 OK\r\ncontent-type: text/ht'],
    ['sends a broken chunk', 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    ['sends endless headers', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(50_000)}`],
    [
      'breaks off before deflated bytes',
      'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-encoding: deflate\r\ncontent-length: 9\r\n\r\n',
    ],
    [
      'sends two lengths',
      'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 1\r\ncontent-length: 9\r\n\r\nx',
    ],
    ['wants to upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'],
  ] as const;
  test('give nothing', async () => {
    for (const [name, bytes] of BYTES) {
      const rawPort = await listen(
        createTcpServer((socket) => {
          socket.on('error', () => {});
          socket.once('data', () => socket.end(bytes));
        }),
        ALLOWED,
      );
      expect([name, await fetcher.fetchPreview(`http://${ALLOWED}:${rawPort}/`)]).toEqual([name, NOTHING]);
    }
  });

  test('break off in the page: what was read is used', async () => {
    const rawPort = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => {});
        const start =
          'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 9999\r\n\r\n<title>T</title><meta na';
        socket.once('data', () => socket.end(start));
      }),
      ALLOWED,
    );
    expect(await fetcher.fetchPreview(`http://${ALLOWED}:${rawPort}/`)).toEqual({ title: 'T', description: null });
  });

  test('have no TLS on an https URL', async () => {
    expect(await fetcher.fetchPreview(`https://${ALLOWED}:${port}/`)).toEqual(NOTHING);
  });

  test('do not listen on the port', async () => {
    expect(await fetcher.fetchPreview(`http://${ALLOWED}:1/`)).toEqual(NOTHING);
  });
});

describe.concurrent('"what cannot be read within 3 seconds stays null"', () => {
  test('a name that never resolves', async () => {
    const meta = await fetcher.fetchPreview('http://hanging.example/');
    expect(meta).toEqual(NOTHING);
  });

  test('headers that never arrive or arrive slowly, and slow redirects', async () => {
    const drip = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 100);
      socket.on('close', () => clearInterval(timer));
    });
    const silent = createTcpServer((socket) => socket.on('error', () => {}));
    const slowHops = createServer((req, res) => setTimeout(() => redirectTo(`${req.url}x`)(req, res), 2_000));
    for (const server of [drip, silent, slowHops]) {
      const slowPort = await listen(server, ALLOWED);
      const meta = await fetcher.fetchPreview(`http://${ALLOWED}:${slowPort}/`);
      expect(meta).toEqual(NOTHING);
    }
  });

  test('a deflated body that never begins', async () => {
    const stalled = createServer((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'deflate' }).flushHeaders();
    });
    const meta = await fetcher.fetchPreview(`http://${ALLOWED}:${await listen(stalled, ALLOWED)}/`);
    expect(meta).toEqual(NOTHING);
  });

  test('a slow body: what arrived in time is used', async () => {
    const slow = createServer((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/html' }).write('<head><title>T</title>');
      const timer = setInterval(() => res.write('<!-- wait -->'), 50);
      res.on('close', () => clearInterval(timer));
    });
    const meta = await fetcher.fetchPreview(`http://${ALLOWED}:${await listen(slow, ALLOWED)}/`);
    expect(meta).toEqual({ title: 'T', description: null });
  });

  test('a caller may abort sooner', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => {}));
    const meta = await fetcher.fetchPreview(
      `http://${ALLOWED}:${await listen(silent, ALLOWED)}/`,
      AbortSignal.timeout(100),
    );
    expect(meta).toEqual(NOTHING);
  });
});

test('"AUTO_META_ALLOW lists networks to permit": localhost, with its usual name', async () => {
  const local = createPreviewFetcher({ allow: ['127.0.0.0/8'], userAgent });
  expect(await local.fetchPreview(`http://localhost:${port}/`)).toEqual(FOUND);
});
