#!/usr/bin/env bash
# Loads compose.yaml as Docker Compose does, in a temporary folder: it needs .env, which write-env.sh writes once, and
# nobody has to edit a tracked file for a server on the internet. Starts nothing.
#
# Needs node, and `docker compose`, the one of build.sh, or another command in COMPOSE. If it is missing, says so and exits
# with 0, or with 1 if CHART_TOOLS_REQUIRED is set.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
built=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/waymark-compose}/docker-compose
[ -x "$built" ] || built='docker compose'
read -ra compose <<< "${COMPOSE:-$built}"
if ! "${compose[@]}" version > /dev/null 2>&1; then
  echo "skipped: the check of compose.yaml needs ${compose[*]}, which is not installed here"
  [ -z "${CHART_TOOLS_REQUIRED:-}" ]
  exit
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/deploy"
cp compose.yaml "$folder"
cp -r deploy/compose "$folder/deploy"
cd "$folder"
fail() { echo "$1" >&2; exit 1; }
config() { "${compose[@]}" --profile admin config --format json; }

if config > config.json 2> refused.txt; then fail 'compose.yaml loads without .env'; fi
grep -q 'write-env.sh' refused.txt || { cat refused.txt >&2; fail 'compose.yaml does not name write-env.sh'; }
! deploy/compose/write-env.sh 'https://go.example.com' 2> /dev/null || fail 'write-env.sh accepts a URL'

for host in '' go.example.com; do
  rm -f .env
  deploy/compose/write-env.sh $host > /dev/null
  [ "$(stat -c %a .env)" = 600 ] || fail 'others may read .env'
  cp .env first.env
  ! deploy/compose/write-env.sh other.example.com 2> /dev/null || fail 'write-env.sh replaces .env'
  cmp -s .env first.env || fail 'write-env.sh changes .env'
  config > "config-$host.json"
done
{ echo IMAGES=ghcr.io/owner/waymark; echo VERSION=1.2.3; echo PULL_POLICY=missing; } >> .env
config > config-pulled.json

node - << 'JS'
const { readFileSync } = require('node:fs');
const assert = require('node:assert/strict');
const load = (name) => JSON.parse(readFileSync(`config-${name}.json`, 'utf8')).services;
const ports = (services) =>
  Object.entries(services).flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port.published}:${port.target}/${port.protocol}`));
const trial = load('');
const server = load('go.example.com');
const pulled = load('pulled');
assert.deepEqual(ports(trial), ['caddy 8080:80/tcp', 'caddy 8443:443/tcp', 'caddy 8443:443/udp']);
assert.deepEqual(ports(server), ['caddy 80:80/tcp', 'caddy 443:443/tcp', 'caddy 443:443/udp']);
assert.equal(trial.caddy.environment.SITE, ':80');
assert.equal(server.caddy.environment.SITE, 'go.example.com');
assert.equal(trial.gateway.environment.PUBLIC_URL, 'http://localhost:8080');
assert.equal(server['links-svc'].environment.PUBLIC_URL, 'https://go.example.com');
assert.equal(server.clickhouse.environment.CLICKHOUSE_PASSWORD, server['analytics-svc'].environment.CLICKHOUSE_PASSWORD);
assert.match(server.clickhouse.environment.CLICKHOUSE_PASSWORD, /^[0-9a-f]{64}$/);
assert.equal(pulled.gateway.image, 'ghcr.io/owner/waymark/gateway:1.2.3');
assert.equal(pulled.gateway.pull_policy, 'missing');
assert.equal(server.gateway.pull_policy, 'build');
let memory = 0;
for (const [name, { image, build, logging, mem_limit }] of Object.entries(server)) {
  assert.ok(logging?.options['max-size'] && logging.options['max-file'], `${name}: no rotation of its log`);
  assert.ok(Number(mem_limit) > 0, `${name}: no memory limit`);
  if (build === undefined) assert.match(image, /:\d+\.\d+\.\d+(\.\d+)?$/, `${name}: ${image} is not pinned`);
  if (name !== 'admin') memory += Number(mem_limit);
}
assert.ok(memory <= 4 * 1024 ** 3, `the memory limits add up to ${memory} bytes`);
console.log(`compose.yaml: ${Object.keys(server).length} services, limits of ${Math.round(memory / 1024 ** 2)} MiB`);
JS
