#!/usr/bin/env bash
# Builds Caddy, of the version that compose.yaml names, and, if `docker compose` is missing, Docker Compose from their Go
# modules into $CACHE (by default ~/.cache/waymark-compose), unless they are there. Takes about five minutes on two cores.
# Needs go. Prints the folder.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
caddy=$(sed -n 's/^ *image: caddy://p' "$here/../../compose.yaml") compose=2.40.3
folder=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/waymark-compose}
mkdir -p "$folder"
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT

if [ ! -x "$folder/caddy-$caddy" ]; then
  GOBIN=$sources go install -trimpath -ldflags '-s -w' "github.com/caddyserver/caddy/v2/cmd/caddy@v$caddy"
  mv "$sources/caddy" "$folder/caddy-$caddy"
fi
if ! docker compose version > /dev/null 2>&1 && [ ! -x "$folder/docker-compose" ]; then
  export GOFLAGS='-buildvcs=false -mod=mod'
  mkdir "$sources/compose" && cd "$sources/compose"
  # Its go.mod excludes versions, which go install refuses.
  printf 'module example.test/compose\n\ngo 1.24\n\nrequire github.com/docker/compose/v2 v%s\n' "$compose" > go.mod
  printf '//go:build tools\n\npackage tools\n\nimport _ "github.com/docker/compose/v2/cmd"\n' > tools.go
  go mod tidy -e > /dev/null 2>&1
  go build -trimpath -ldflags "-s -w -X github.com/docker/compose/v2/internal.Version=v$compose" \
    -o "$folder/docker-compose" github.com/docker/compose/v2/cmd
fi
echo "$folder"
