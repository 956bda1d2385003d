import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type TestGateway } from './gateway.ts';

// docs/adr/0028: the public host routes the gateway's paths to the gateway, and all other paths to links-svc.

const ROOT = join(import.meta.dirname, '../../..');
const SHORT_LINK = '/:slug';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Returns one path for each route of the gateway, except the short links. */
function pathsOfTheGateway(): string[] {
  const above: string[] = [];
  const paths: string[] = [];
  for (const line of gateway.http.printRoutes({ commonPrefix: false, includeHooks: false }).split('\n')) {
    const [, indent = '', part = '', methods] = /^(.*)[├└]── (\S+)(?: \((.+)\))?$/.exec(line) ?? [];
    const depth = indent.length / 4;
    above.length = depth;
    above[depth] = part;
    if (methods !== undefined) paths.push(above.join(''));
  }
  return paths.filter((path) => path !== SHORT_LINK).map((path) => path.replace(/\/?\*$/, '/some/thing'));
}

/** Returns true if the chart's ingress and HTTPRoute send this path to the gateway (`waymark.gatewayPaths`). */
function chartServes(path: string): boolean {
  const template = readFileSync(join(ROOT, 'deploy/helm/waymark/templates/_helpers.tpl'), 'utf8');
  const rules = [...template.matchAll(/^- \{ path: (\S+), match: (Exact|Prefix) \}$/gm)];
  return rules.some(([, rule, match]) => path === rule || (match === 'Prefix' && path.startsWith(`${rule}/`)));
}

function composeServes(path: string): boolean {
  const file = readFileSync(join(ROOT, 'deploy/compose/Caddyfile'), 'utf8');
  const rules = /^\t@gateway path (.+)$/m.exec(file)![1]!.split(' ');
  return rules.some((rule) => path === rule || (rule.endsWith('/*') && path.startsWith(rule.slice(0, -1))));
}

describe.each([
  ['the chart’s ingress', chartServes],
  ['compose’s Caddyfile', composeServes],
])('%s', (_what, serves) => {
  test('routes every path of the gateway to the gateway', () => {
    const paths = pathsOfTheGateway();
    expect(paths).toEqual(expect.arrayContaining(['/', '/api/v1/me', '/mcp', '/docs', '/openapi.json', '/readyz']));
    expect(paths.filter((path) => !serves(path))).toEqual([]);
  });

  test.each(['/Summer-Sale', '/apix', '/mcpx', '/docs2'])('routes the short link %s to links-svc', (path) => {
    expect(serves(path)).toBe(false);
  });
});
