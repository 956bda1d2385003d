#!/usr/bin/env bash
# Prints the section of a version in CHANGELOG.md. Fails if the version cannot be released: if package.json or the chart has
# another one, or if the section is missing, empty or still "unreleased".
#
#   scripts/release-notes.sh 0.1.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=${1:?"usage: $0 VERSION"}
fail() { echo "$0: $1" >&2; exit 1; }

[ "$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)" = "$version" ] || fail "package.json has not the version $version"
for field in version appVersion; do
  [ "$(sed -n "s/^$field: //p" deploy/helm/waymark/Chart.yaml)" = "$version" ] || fail "Chart.yaml has not the $field $version"
done
heading=$(grep -F "## $version" CHANGELOG.md || true)
[ -n "$heading" ] || fail "CHANGELOG.md has no section $version"
[[ "$heading" =~ ^"## $version ("[0-9]{4}-[0-9]{2}-[0-9]{2}")"$ ]] ||
  fail "the heading of $version in CHANGELOG.md must be \"## $version (YYYY-MM-DD)\", but is \"$heading\""
notes=$(awk -v heading="$heading" '$0 == heading { inside = 1; next } /^## / { inside = 0 } inside' CHANGELOG.md)
[ -n "${notes//[[:space:]]/}" ] || fail "the section $version in CHANGELOG.md is empty"
printf '%s\n' "$notes"
