#!/usr/bin/env bash
# Writes .env for compose.yaml, with random secrets, unless it exists. With a host name, for a server on the internet;
# without one, for http://localhost:8080.
#
#   deploy/compose/write-env.sh [HOST]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
host=${1:-}
[[ $host =~ ^([A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+)?$ ]] || { echo "$0: $host is not a host name such as go.example.com" >&2; exit 1; }
[ ! -e .env ] || { echo "$0: .env exists; edit it instead, and keep its secrets" >&2; exit 1; }
umask 077
{
  echo "SIGNING_KEY=$(openssl rand -hex 32)"
  echo "CLICKHOUSE_PASSWORD=$(openssl rand -hex 32)"
  [ -z "$host" ] || printf 'SITE=%s\nPUBLIC_URL=https://%s\nHTTP_PORT=80\nHTTPS_PORT=443\n' "$host" "$host"
  echo '# To pull the images of a release instead of building them:'
  echo '# IMAGES=ghcr.io/OWNER/REPOSITORY'
  echo '# VERSION=0.1.0'
  echo '# PULL_POLICY=missing'
} > .env.new
mv .env.new .env
echo 'wrote .env. Now run: docker compose up --detach'
