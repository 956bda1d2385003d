// Run by caddy.sh. CADDY is the path of Caddy.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { DnsServer } from '../../apps/links-svc/test/support/dns-server.ts';
import type { Host } from '../../packages/contract/src/index.ts';
import { startStack } from '../../packages/stack/src/index.ts';
import { findFreePorts } from '../../packages/stack/src/ports.ts';

const ROOT = join(import.meta.dirname, '../..');
const LOOPBACK = '127.0.0.1';
const DEFAULT_HOST = 'links.example.com';
const HOST = 'go.example.com';
const UNVERIFIED = 'pending.example.com';
const FLOOD = 400;
const FLOOD_AT_ONCE = 20;
const run = promisify(execFile);

interface Answer {
  status: number;
  location: string | undefined;
  body: string;
  /** The names in the certificate; undefined without TLS. */
  names: string | undefined;
}

const folder = await mkdtemp(join(tmpdir(), 'waymark-caddy-'));
const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  await check();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  for (const end of ends.reverse()) await end();
}

async function check(): Promise<void> {
  step('a stack of the built services, and Caddy with its own certificate authority');
  const dns = await DnsServer.start();
  ends.push(() => dns.close());
  const dataDir = join(folder, 'stack');
  const stack = await startStack({
    dataDir,
    publicUrl: `https://${DEFAULT_HOST}`,
    env: { DNS_SERVERS: dns.address },
    allInOne: true,
    mongodbUrl: undefined,
    clickhouseUrl: undefined,
  });
  ends.push(() => stack.close());
  const asks = await countAsks(stack.urls.linksHttp);
  const caddy = await startCaddy(stack.urls, asks.origin);

  /** Sends a request as a visitor of a name does. Rejects if Caddy has no certificate for the name. */
  const visit = (name: string, path: string, host = name) =>
    answerTo((onResponse) =>
      httpsRequest(
        {
          host: LOOPBACK,
          port: caddy.https,
          servername: name,
          ca: caddy.authority(),
          headers: { host },
          path,
          agent: false,
        },
        onResponse,
      ),
    );
  const visitWithoutTls = (host: string, path: string) =>
    answerTo((onResponse) =>
      httpRequest({ host: LOOPBACK, port: caddy.http, headers: { host }, path, agent: false }, onResponse),
    );
  const hasNoCertificate = (name: string) => assert.rejects(visit(name, '/'), /alert internal error/, name);

  step('an account adds a short host, proves it and creates a link on it');
  const admin = async (...args: string[]) => {
    const command = [join(ROOT, 'apps/admin/dist/main.js'), ...args];
    return (await run(process.execPath, command, { env: { ...process.env, DATA_DIR: dataDir } })).stdout;
  };
  const made = JSON.parse(await admin('account', 'create', '--username', 'ada', '--plan', 'developer', '--json'));
  const api = async (method: string, path: string, json: object) => {
    const response = await fetch(`${stack.urls.gateway}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${made.keys.live}`, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    const body = await response.json();
    assert.ok(response.ok, JSON.stringify(body));
    return body;
  };
  const { txt } = (await api('POST', '/hosts', { host: HOST })) as Host;
  await api('POST', '/hosts', { host: UNVERIFIED });
  await hasNoCertificate(HOST);
  console.log(`${HOST} has no certificate before it is verified`);
  dns.records.set(txt.name, [txt.value]);
  console.log((await admin('host', 'verify', '--username', 'ada', '--host', HOST)).trim());
  const destination = 'https://example.com/spring';
  await api('POST', '/links', { destination_url: destination, slug: 'sale', host: HOST });
  await api('POST', '/links', { destination_url: destination, slug: 'sale' });

  step('certificates, redirects, and nothing else on a short host');
  for (const name of [HOST, HOST.toUpperCase(), DEFAULT_HOST]) {
    const { names, ...answer } = await visit(name, '/sale');
    assert.equal(names, `DNS:${name.toLowerCase()}`);
    assert.deepEqual([answer.status, answer.location], [302, destination]);
    console.log(`${name}: a certificate of ${names}, and /sale redirects to ${answer.location}`);
  }
  assert.equal((await visit(DEFAULT_HOST, '/app/')).status, 200);
  assert.equal((await visit(DEFAULT_HOST, '/api/v1/me')).status, 401);
  for (const path of ['/app/', '/api/v1/me', '/docs', '/openapi.json', '/mcp'])
    assert.equal((await visit(HOST, path)).status, 404, path);
  for (const host of [HOST, DEFAULT_HOST, UNVERIFIED])
    assert.equal((await visit(HOST, `/internal/tls-allowed?domain=${HOST}`, host)).status, 404, host);
  console.log(`${DEFAULT_HOST} serves the dashboard and the API, ${HOST} neither`);
  for (const name of [UNVERIFIED, 'other.example.com', `www.${HOST}`, 'example.com']) await hasNoCertificate(name);
  console.log('names that are not verified, and names above and below a verified one, have no certificate');
  for (const host of [HOST, DEFAULT_HOST]) {
    const { status, location } = await visitWithoutTls(host, '/sale');
    assert.deepEqual([status, location], [308, `https://${host}/sale`]);
  }
  console.log('http:// redirects to https://');

  step(`a flood of ${FLOOD} names`);
  const certificates = caddy.certificates();
  assert.deepEqual(certificates, [HOST, DEFAULT_HOST]);
  const before = asks.count();
  let isFlooding = true;
  const latencies: number[] = [];
  const visitor = async () => {
    while (isFlooding) {
      const startedAt = performance.now();
      assert.equal((await visit(HOST, '/sale')).status, 302);
      latencies.push(performance.now() - startedAt);
    }
  };
  const startedAt = performance.now();
  const names = Array.from({ length: FLOOD }, (_, index) => `n${index}.example.com`);
  const attacker = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) await hasNoCertificate(name);
  };
  const flood = Promise.all(Array.from({ length: FLOOD_AT_ONCE }, attacker)).finally(() => {
    isFlooding = false;
  });
  await Promise.all([flood, visitor()]);
  const seconds = (performance.now() - startedAt) / 1000;
  assert.equal(asks.count() - before, FLOOD);
  assert.deepEqual(caddy.certificates(), certificates);
  console.log(`${FLOOD} names in ${seconds.toFixed(1)} s, one question for each; no new certificate`);
  console.log(
    `meanwhile ${latencies.length} visits of ${HOST}, the slowest in ${Math.max(...latencies).toFixed(0)} ms`,
  );
}

/** Starts Caddy on the Caddyfile, with the addresses of the stack, free ports and its own authority. */
async function startCaddy({ gateway, linksHttp }: { gateway: string; linksHttp: string }, ask: string) {
  const [http, https] = (await findFreePorts(2, LOOPBACK)) as [number, number];
  const file = join(folder, 'Caddyfile');
  const original = await readFile(join(import.meta.dirname, 'Caddyfile'), 'utf8');
  const local = `\n\tlocal_certs\n\tskip_install_trust\n\thttp_port ${http}\n\thttps_port ${https}\n`;
  await writeFile(
    file,
    original
      .replace('{\n', `{${local}`)
      .replace('http://links-svc:3000/internal', `${ask}/internal`)
      .replaceAll('gateway:8080', new URL(gateway).host)
      .replaceAll('links-svc:3000', new URL(linksHttp).host),
  );
  const log = join(folder, 'caddy.log');
  const output = openSync(log, 'w');
  const env = { ...process.env, SITE: DEFAULT_HOST, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const caddy = process.env.CADDY!;
  for (const SITE of [':80', DEFAULT_HOST])
    await run(caddy, ['validate', '--adapter', 'caddyfile', '--config', join(import.meta.dirname, 'Caddyfile')], {
      env: { ...env, SITE },
    });
  const child = spawn(caddy, ['run', '--adapter', 'caddyfile', '--config', file], {
    env,
    stdio: ['ignore', output, output],
  });
  ends.push(async () => {
    if (child.exitCode === null) {
      child.kill();
      await once(child, 'exit');
    }
    if (process.exitCode) console.error(readFileSync(log, 'utf8').split('\n').slice(-20).join('\n'));
  });
  const authorityFile = join(folder, 'caddy/pki/authorities/local/root.crt');
  while (!existsSync(authorityFile) || !readFileSync(log, 'utf8').includes('serving initial configuration')) {
    assert.equal(child.exitCode, null, 'Caddy ended');
    await sleep(50);
  }
  return {
    http,
    https,
    authority: () => readFileSync(authorityFile),
    /** The names for which Caddy keeps a certificate. */
    certificates: () => readdirSync(join(folder, 'caddy/certificates/local')).sort(),
  };
}

/** Counts the questions of Caddy on their way to links-svc. */
async function countAsks(linksHttp: string) {
  let asked = 0;
  const server = createServer((incoming, outgoing) => {
    asked += 1;
    httpRequest(linksHttp + incoming.url, (response) => {
      outgoing.writeHead(response.statusCode!);
      response.pipe(outgoing);
    }).end();
  });
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  ends.push(() => server.close());
  return { origin: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`, count: () => asked };
}

function answerTo(send: (onResponse: (response: IncomingMessage) => void) => ReturnType<typeof httpRequest>) {
  return new Promise<Answer>((resolve, reject) => {
    const outgoing = send(async (response) => {
      const names = (response.socket as Partial<TLSSocket>).getPeerCertificate?.().subjectaltname;
      let body = '';
      for await (const chunk of response.setEncoding('utf8')) body += chunk;
      resolve({ status: response.statusCode!, location: response.headers.location, body, names });
    });
    outgoing.once('error', reject).end();
  });
}

function step(title: string): void {
  console.log(`\n== ${title}`);
}
