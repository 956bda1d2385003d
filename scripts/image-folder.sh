#!/usr/bin/env bash
# Creates the folder for the image of one service: its compiled code and its production dependencies, without files that
# only development needs. The Dockerfile runs it. It also works without Docker:
#
#   scripts/image-folder.sh links-svc /tmp/links-svc && node /tmp/links-svc/dist/main.js
#
# The workspace must be installed and built. The folder must not exist yet, or be empty.
set -euo pipefail

app=${1:-} dir=${2:-}
if [ -z "$app" ] || [ -z "$dir" ]; then
  echo "usage: $0 gateway|links-svc|analytics-svc|mcp-svc|admin DIR" >&2
  exit 2
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ -n "$(ls -A "$dir")" ]; then
  echo "$0: $dir is not empty" >&2
  exit 1
fi
if [ ! -f "apps/$app/dist/main.js" ]; then
  echo "$0: apps/$app is not built; run \"pnpm build\" first" >&2
  exit 1
fi

# Uses the pnpm on the PATH if it has the right version, as it does inside a pnpm script: two concurrent npx processes
# block each other.
manager=$(node -p "require('./package.json').packageManager")
run_pnpm() {
  if [ "pnpm@$(pnpm --version 2>/dev/null)" = "$manager" ]; then pnpm "$@"; else npx --yes "$manager" "$@"; fi
}

# Versions come from pnpm-lock.yaml. Workspace packages are copied, not linked.
run_pnpm --filter "@waymark/$app" deploy --prod --legacy --prefer-offline "$dir"

# Keeps only the runtime files of our own packages.
keep_what_runs() {
  find "$1" -mindepth 1 -maxdepth 1 \
    ! -name package.json ! -name dist ! -name assets ! -name node_modules -exec rm -rf {} +
}
keep_what_runs "$dir"
for package in "$dir"/node_modules/.pnpm/@waymark+*/node_modules/@waymark/*; do
  [ -L "$package" ] || keep_what_runs "$package"
done
# Deletes the builds of OpenTelemetry's packages that only bundlers load.
find "$dir" -type d -path '*/@opentelemetry/*/build/*' \( -name esm -o -name esnext \) -prune -exec rm -rf {} +
# Deletes files that only compilers and debuggers read.
find "$dir" -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' \
  -o -name '*.c' -o -name '*.cpp' -o -name '*.h' \) -delete
# Deletes the halves of the database of networks. links-svc reads the file that has both.
find "$dir" -type f \( -name '*-ipv4.mmdb' -o -name '*-ipv6.mmdb' \) -delete
# Deletes the tests, benchmarks and documents of packages.
for package in "$dir"/node_modules/.pnpm/*/node_modules/{*,@*/*}; do
  [ -L "$package" ] || [ ! -f "$package/package.json" ] ||
    rm -rf "$package"/{test,tests,benchmark,benchmarks,docs,examples}
done
