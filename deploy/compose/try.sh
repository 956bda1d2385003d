#!/usr/bin/env bash
# Runs the commands of "One machine with Docker" in docs/operations.md as they stand there: starts, backs up, deletes
# everything, restores, and upgrades. After each block, an account, its link and its clicks must be there. Prints a
# transcript, and ends with 1 at the first command that fails.
#
# Uses a copy of the commit that is checked out, volumes and images of its own, the host name go.localhost, for which
# Caddy has its own authority, and the ports 80 and 443. Takes about ten minutes, most of them for the images. Needs
# docker compose, curl, git and node; without docker compose, is skipped, or fails with --required.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if ! docker compose ls > /dev/null 2>&1; then
  echo 'skipped: the commands of compose.yaml need a Docker with Compose'
  [ "${1:-}" != --required ]
  exit
fi
export COMPOSE_PROJECT_NAME=waymark-try VERSION=try
host=go.localhost
folder=$(mktemp -d)
server=$folder/server
end() {
  local status=$?
  [ "$status" = 0 ] || docker compose logs --tail 20 >&2 || true
  docker compose down --volumes > /dev/null 2>&1 || true
  docker image rm --force waymark/{gateway,links-svc,analytics-svc,mcp-svc,admin}:try > /dev/null 2>&1 || true
  rm -rf "$folder"
}
step() { printf '\n== %s\n' "$1"; }
fail() { echo "failed: $1" >&2; exit 1; }
# until_true COMMAND...: waits up to two minutes until a command succeeds.
until_true() {
  for _ in $(seq 120); do
    if "$@" > /dev/null 2>&1; then return; fi
    sleep 1
  done
  fail "$*"
}
# commands_after TEXT: runs the first block of commands after the line that starts with TEXT, and prints each line.
commands_after() {
  awk -v text="$1" 'index($0, text) == 1 { here = 1 }
    here && /^```/ { if (inside) exit; inside = 1; next }
    inside' docs/operations.md | sed "s/go\.example\.com/$host/" > "$folder/commands.sh"
  [ -s "$folder/commands.sh" ] || fail "docs/operations.md has no commands after $1"
  bash -euv -o pipefail "$folder/commands.sh" 2>&1
}
request() { curl --silent --show-error --cacert "$folder/root.crt" "$@"; }
api() { request --fail-with-body --header "Authorization: Bearer $key" "$@"; }
field() { node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"; }
# visit TIMES: follows the link, at once, some times.
visit() {
  for _ in $(seq "$1"); do
    [ "$(request --user-agent 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' --output /dev/null \
      --write-out '%{http_code} %{redirect_url}' "https://$host/spring")" = '302 https://example.com/spring' ] || return
  done
  visits=$((visits + $1))
}
counted() { [ "$(api "https://$host/api/v1/analytics?days=1" | field clicks)" = "$visits" ]; }
# everything_is_there: Caddy, the link, the key, MCP and each click.
everything_is_there() {
  until_true docker compose cp caddy:/data/caddy/pki/authorities/local/root.crt "$folder/root.crt"
  until_true request --fail "https://$host/readyz"
  visit 3 || fail 'the redirect'
  until_true counted
  api --json '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_links","arguments":{}}}' \
    --header 'Accept: application/json, text/event-stream' "https://$host/mcp" | grep -q 'example.com/spring' || fail 'MCP'
  echo "the link redirects, MCP lists it, and the analytics have all $visits clicks"
}

git clone --quiet "$repository" "$folder/origin"
git clone --quiet "$folder/origin" "$server"
cd "$server"
trap end EXIT

step 'Start'
commands_after '## One machine with Docker' | tee "$folder/start.txt"
key=$(grep -o 'key_live_[A-Za-z0-9]*' "$folder/start.txt")
visits=0
until_true docker compose cp caddy:/data/caddy/pki/authorities/local/root.crt "$folder/root.crt"
until_true request --fail "https://$host/readyz"
api --json '{"destination_url":"https://example.com/spring","slug":"spring"}' "https://$host/api/v1/links" > "$folder/link.json"
everything_is_there
docker compose ps --quiet | xargs docker stats --no-stream --format '{{.Name}}: {{.MemUsage}}'

step 'Back up'
visit 20
commands_after '**Back up.**'
everything_is_there

step 'Restore on another machine'
visits=$((visits - 3)) # of after the backup
docker compose down --volumes 2>&1
commands_after '**Restore**'
everything_is_there
step 'Back up there'
commands_after '**Back up.**'

step 'Upgrade'
sed -i 's/^{\$SITE} {$/&\n\trespond \/tried 204/' "$folder/origin/deploy/compose/Caddyfile"
sed -i 's/"version": ".*"/"version": "0.2.0"/' "$folder"/origin/apps/*/package.json
git -C "$folder/origin" -c user.name=try -c user.email=try@example.com commit --quiet --all --message 'chore: 0.2.0'
git -C "$folder/origin" tag v0.2.0
commands_after '**Upgrade**'
everything_is_there
[ "$(request --output /dev/null --write-out '%{http_code}' "https://$host/tried")" = 204 ] || fail 'the new Caddyfile'
[ "$(docker compose run --rm admin --version | tail -n 1 | tr -d '\r')" = 0.2.0 ] || fail 'the new version of admin'

step 'Another .env'
echo LOG_LEVEL=debug >> .env
docker compose up --detach 2>&1
everything_is_there
docker inspect --format '{{.Config.Env}}' "$(docker compose ps --quiet links-svc)" | grep -q LOG_LEVEL=debug || fail '.env'
