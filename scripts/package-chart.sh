#!/usr/bin/env bash
# Packages the Helm chart so that it uses the images of a registry by default.
#
#   scripts/package-chart.sh registry.example.com/waymark FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
usage="usage: $0 REPOSITORY FOLDER"
repository=${1:?"$usage"} folder=${2:?"$usage"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r deploy/helm/waymark "$work/waymark"
sed -i "s|^  repository: waymark$|  repository: $repository|" "$work/waymark/values.yaml"
grep -qx "  repository: $repository" "$work/waymark/values.yaml" ||
  { echo "$0: values.yaml has no line \"  repository: waymark\"" >&2; exit 1; }
mkdir -p "$folder"
helm package --destination "$folder" "$work/waymark"
