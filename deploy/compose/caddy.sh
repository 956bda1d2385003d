#!/usr/bin/env bash
# Runs the Caddyfile in Caddy, in front of a stack of the built services on loopback, with a certificate authority of
# Caddy's own in place of a public one. Prints a transcript, and ends with 1 at the first step that fails.
#
# Needs Caddy of build.sh and the built workspace. With --build, builds Caddy first; without it, is skipped if something
# is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$here/../..
# Prefer the Node version that the workspace installs.
PATH="$repository/node_modules/.bin:$PATH"
cached=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/waymark-compose}
caddy=$cached/caddy-$(sed -n 's/^ *image: caddy://p' "$repository/compose.yaml")
skip() {
  echo "skipped: the check of the Caddyfile needs $1"
  [ "$build" != --build ]
  exit
}
build=${1:-}
[ "$build" != --build ] || "$here/build.sh" > /dev/null
[ -x "$caddy" ] || skip "$(basename "$caddy"); deploy/compose/build.sh makes it"
[ -f "$repository/apps/links-svc/dist/main.js" ] || skip 'the built workspace (pnpm build)'
CADDY=$caddy exec node --conditions=@waymark/source "$here/caddy.ts"
