#!/usr/bin/env bash
# Runs the images of build.sh as a strict cluster would: read-only, without capabilities, as a user without rights, in a
# network of their own, on the embedded databases. Creates an account, a link and a click through the gateway, and stops
# everything. Prints a transcript, and ends with 1 at the first step that fails.
#
# Needs root, podman, crun, ip and the built workspace. With --build, builds the images first (about ten minutes); without
# it, is skipped if they are missing.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Prefer the Node version that the workspace installs.
PATH="$repository/node_modules/.bin:$PATH"
# shellcheck source=store.sh
. "$repository/deploy/images/store.sh"
build=${1:-}
skip() { echo "skipped: the check of the images needs $1"; [ "$build" != --build ]; exit; }
[ "$(id -u)" = 0 ] || skip root
for tool in podman buildah crun debootstrap ip unshare node; do
  command -v "$tool" > /dev/null || skip "$tool"
done
[ "${1:-}" != --build ] || "$repository/deploy/images/build.sh"
for app in "${apps[@]}"; do
  podman image exists "$(image "$app")" || skip "the image $(image "$app"); build.sh makes it"
done
[ -f "$repository/packages/embedded/dist/index.js" ] || skip 'the built workspace (pnpm build)'

folder=$(mktemp -d)
network=waymark-$$
pids=()
running=()
end() {
  for app in "${running[@]}"; do podman rm --force --ignore "$network-$app" > /dev/null 2>&1 || true; done
  kill "${pids[@]}" 2> /dev/null || true
  wait "${pids[@]}" 2> /dev/null || true
  ip netns delete "$network" 2> /dev/null || true
  rm -rf "$folder"
}
trap end EXIT
step() { printf '\n== %s\n' "$1"; }
fail() { echo "failed: $1" >&2; tail -n 5 "$folder"/*.log >&2; exit 1; }
inside() { ip netns exec "$network" "$@"; }
# until_true COMMAND...: waits up to 30 seconds until a command succeeds.
until_true() {
  for _ in $(seq 150); do
    if "$@" > /dev/null 2>&1; then return; fi
    sleep 0.2
  done
  fail "$*"
}
# container APP OPTIONS...: runs an image until it ends. A process on a machine with both kinds of cgroups must not see
# the second one, or crun refuses to start.
container() {
  local app=$1
  shift
  # shellcheck disable=SC2016
  unshare --mount --propagation private sh -c 'umount /sys/fs/cgroup/unified 2> /dev/null; exec "$@"' sh \
    podman "${in_store[@]}" --cgroup-manager cgroupfs run --rm --name "$network-$app" --cgroups=disabled --pull=never \
    --read-only --read-only-tmpfs=false --cap-drop=all --security-opt=no-new-privileges \
    --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --network="ns:/var/run/netns/$network" \
    --volume "$folder/signing-key:/signing-key:ro" --env SIGNING_KEY_FILE=/signing-key \
    --env LINKS_GRPC=127.0.0.1:50051 --env ANALYTICS_GRPC=127.0.0.1:50052 "$@"
}
service() {
  local app=$1
  shift
  container "$app" "$@" "$(image "$app")" > "$folder/$app.log" 2>&1 &
  pids+=($!)
  running+=("$app")
}
api() { inside curl --silent --fail-with-body --header "Authorization: Bearer $key" "$@"; }
field() { node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"; }

ip netns add "$network"
inside ip link set lo up
openssl rand -hex 32 > "$folder/signing-key"
mkdir "$folder/spool"
chmod 644 "$folder/signing-key"
chmod 755 "$folder"
chown 65532:65532 "$folder/spool"
# Of the embedded ClickHouse.
export DATABASE_USER=waymark DATABASE_PASSWORD=waymark

step 'The images'
podman images --format '{{.Repository}}  {{.Size}}' --filter reference='localhost/waymark/*'
for app in "${apps[@]}"; do
  [ "$(podman image inspect --format '{{.Config.User}}' "$(image "$app")")" = 65532:65532 ] || fail "$app runs as another user"
  container "$app" --entrypoint /bin/sh "$(image "$app")" -c true > "$folder/shell.log" 2>&1 || true
  grep -q 'executable file .* not found' "$folder/shell.log" || fail "$app has a shell, or did not start"
done
echo 'each runs as user 65532 and has no shell'

step 'The services start, read-only and without capabilities'
for database in mongodb:27017 clickhouse:8123; do
  name=${database%:*}
  # A function would run in a shell of its own, and its end would leave the database.
  DATA_DIR="$folder/$name" PORT=${database#*:} MONGODB_OPEN_PORT=27017 HOST=127.0.0.1 ip netns exec "$network" \
    node "$repository/packages/embedded/dist/$name/main.js" > "$folder/$name.log" 2>&1 &
  pids+=($!)
done
until_true inside curl --silent --fail http://127.0.0.1:8123/ping
service links-svc --env HTTP_PORT=3001 --env GRPC_PORT=50051 --env MONGODB_URL=mongodb://127.0.0.1:27017 \
  --volume "$folder/spool:/var/lib/waymark/spool"
service analytics-svc --env HTTP_PORT=3002 --env GRPC_PORT=50052 --env CLICKHOUSE_URL=http://127.0.0.1:8123 \
  --env CLICKHOUSE_USER=waymark --env CLICKHOUSE_PASSWORD=waymark
service mcp-svc --env HTTP_PORT=3003
service gateway --env LINKS_URL=http://127.0.0.1:3001 --env ANALYTICS_URL=http://127.0.0.1:3002 \
  --env MCP_URL=http://127.0.0.1:3003 --env GATEWAY_PORT=8080
for port in 3001 3002 3003 8080; do until_true inside curl --silent --fail "http://127.0.0.1:$port/readyz"; done
for app in "${running[@]}"; do
  status=/proc/$(podman inspect --format '{{.State.Pid}}' "$network-$app")/status
  grep -qP '^Uid:\t65532\t65532' "$status" || fail "$app runs as another user"
  grep -qP '^CapEff:\t0+$' "$status" || fail "$app has capabilities"
  grep -qP '^NoNewPrivs:\t1$' "$status" || fail "$app may gain privileges"
  echo "$app: ready, user 65532, no capabilities, $(awk '/^VmRSS/ { print int($2 / 1024) " MiB resident" }' "$status")"
done

step 'An account, a link, a click and its analytics'
container admin "$(image admin)" account create --username ada --plan developer > "$folder/account.txt"
key=$(grep -o 'key_live_[A-Za-z0-9]*' "$folder/account.txt")
public_key=$(grep -o 'key_pub_[A-Za-z0-9]*' "$folder/account.txt")
link=$(api --json '{"destination_url":"https://example.com/","title":"Image"}' http://127.0.0.1:8080/api/v1/links)
slug=$(echo "$link" | field slug)
echo "link $slug"
inside curl --silent --output /dev/null --write-out 'redirect: %{http_code} %{redirect_url}\n' \
  --user-agent 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' "http://127.0.0.1:8080/$slug"
clicks() { api "http://127.0.0.1:8080/api/v1/analytics?days=1" | field clicks; }
counted() { [ "$(clicks)" = 1 ]; }
until_true counted
echo "analytics: $(clicks) click"
mcp='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_links","arguments":{}}}'
inside curl --silent --fail-with-body --header "Authorization: Bearer $public_key" --json "$mcp" \
  --header 'Accept: application/json, text/event-stream' http://127.0.0.1:8080/mcp | grep -q "$slug" || fail 'MCP list_links'
echo 'MCP list_links shows the link'
inside curl --silent --fail http://127.0.0.1:8080/app/ > "$folder/app.html"
grep -q '<title>Waymark' "$folder/app.html" || fail 'the dashboard'
for file in $(grep -oE '/app/assets/[^"]+\.(js|css)' "$folder/app.html" | sort -u); do
  inside curl --silent --fail --output /dev/null --write-out "dashboard: %{http_code} %{size_download} bytes $(sed 's/-[^-]*\././' <<< "${file##*/}")\n" \
    --header 'Accept-Encoding: br' "http://127.0.0.1:8080$file"
done

step 'SIGTERM ends each service with exit code 0'
for at in 3 2 1 0; do
  app=${running[$at]}
  podman kill --signal TERM "$network-$app" > /dev/null
  code=0
  wait "${pids[$((at + 2))]}" || code=$?
  echo "$app: $code"
  [ "$code" = 0 ] || fail "$app ended with $code"
done
running=()
