import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, collectComplaints, NO_BROWSER, startBrowser } from './browser.ts';

let browser: Browser | undefined;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

test('a complaint about a response has its method, address, status and error; a read answered with 503 is none', async ({
  skip,
}) => {
  skip(browser === undefined, NO_BROWSER);
  const server = createServer((request, response) => {
    if (request.url === '/')
      return void response.setHeader('content-type', 'text/html').end('<link rel=icon href=data:,>');
    response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"Too busy."}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const context = await browser!.newContext();
  const complaints = collectComplaints(context, origin);
  const page = await context.newPage();
  await page.goto(origin);
  const send = (method: string, path: string) =>
    page.evaluate(`fetch('${path}', { method: '${method}' }).then((response) => response.text())`);
  await send('GET', '/figures?days=7');
  await send('POST', '/links?dry=1');
  await expect
    .poll(() => complaints)
    .toEqual([`a status of 503 for POST ${origin}/links?dry=1: {"error":"Too busy."}`]);
  await context.close();
  server.closeAllConnections();
  server.close();
});
