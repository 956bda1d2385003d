#!/usr/bin/env bash
# Packages the Helm chart so that it uses the images of a registry by default, and says where its sources, its icon and its
# documentation are.
#
#   scripts/package-chart.sh registry.example.com/waymark https://git.example.com/waymark FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
usage="usage: $0 REPOSITORY SOURCE_URL FOLDER"
repository=${1:?"$usage"} source=${2:?"$usage"} folder=${3:?"$usage"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r deploy/helm/waymark "$work/waymark"
version=$(sed -n 's/^version: //p' "$work/waymark/Chart.yaml")
# set_value LINE NEW: replaces a line of values.yaml.
set_value() {
  grep -qxF -- "$1" "$work/waymark/values.yaml" || { echo "$0: values.yaml has no line \"$1\"" >&2; exit 1; }
  sed -i "s|^$1\$|$2|" "$work/waymark/values.yaml"
}
set_value '  repository: waymark' "  repository: $repository"
set_value '    runbookBaseUrl: ""' "    runbookBaseUrl: $source/blob/v$version"
cat >> "$work/waymark/Chart.yaml" << YAML
  artifacthub.io/links: |
    - { name: Documentation, url: "$source/tree/v$version/docs" }
    - { name: support, url: "$source/issues" }
  artifacthub.io/images: |
$(for app in gateway links-svc analytics-svc mcp-svc admin; do echo "    - { name: $app, image: \"$repository/$app:$version\" }"; done)
home: $source
sources: [$source]
icon: $source/raw/v$version/apps/web/src/layout/icon.svg
YAML
mkdir -p "$folder"
helm package --destination "$folder" "$work/waymark"
