#!/usr/bin/env bash
# Builds a Kubernetes API with its controllers and its scheduler, etcd, Helm 3 and Helm 4 (as helm4) from their Go modules
# into $CACHE/$KUBERNETES (by default ~/.cache/waymark-kubernetes), and copies the kinds of the Gateway API, unless they
# are there. Takes about half an hour on two cores. Needs go. Prints the folder.
set -euo pipefail
kubernetes=${KUBERNETES:-1.34.4} etcd=3.6.4 helm=3.22.0 helm4=4.3.1 gateway_api=1.5.1
folder=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/waymark-kubernetes}/$kubernetes
mkdir -p "$folder"
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
export GOFLAGS='-buildvcs=false -mod=mod'

if [ ! -x "$folder/kube-scheduler" ]; then
  mkdir "$sources/kubernetes" && cd "$sources/kubernetes"
  module=$(go mod download -json "k8s.io/kubernetes@v$kubernetes" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  printf 'module example.test/kubernetes\n\ngo 1.24\n\nrequire k8s.io/kubernetes v%s\n' "$kubernetes" > go.mod
  # The modules that Kubernetes takes from its own repository are published under v0.
  grep -oE 'k8s.io/[a-z-]+ v0\.0\.0( |$)' "$module/go.mod" | cut -d' ' -f1 | sort -u |
    while read -r name; do echo "replace $name => $name v0.${kubernetes#1.}"; done >> go.mod
  version=k8s.io/component-base/version
  commands=(k8s.io/kubernetes/cmd/kube-{apiserver,controller-manager,scheduler})
  { echo '//go:build tools'; echo; echo 'package tools'; echo; printf 'import _ "%s"\n' "${commands[@]}"; } > tools.go
  go mod tidy -e > /dev/null 2>&1
  go build -trimpath -o "$folder/" -ldflags "-s -w -X $version.gitVersion=v$kubernetes -X $version.gitMajor=1 -X $version.gitMinor=$(cut -d. -f2 <<< "$kubernetes")" "${commands[@]}"
fi
if [ ! -x "$folder/etcd" ]; then
  mkdir "$sources/etcd" && cd "$sources/etcd"
  printf 'module example.test/etcd\n\ngo 1.24\n\nrequire go.etcd.io/etcd/server/v3 v%s\n' "$etcd" > go.mod
  printf '//go:build tools\n\npackage tools\n\nimport _ "go.etcd.io/etcd/server/v3"\n' > tools.go
  go mod tidy > /dev/null 2>&1
  go build -trimpath -ldflags '-s -w' -o "$folder/etcd" go.etcd.io/etcd/server/v3
fi
[ -x "$folder/helm" ] || GOFLAGS= GOBIN=$folder go install "helm.sh/helm/v3/cmd/helm@v$helm"
if [ ! -x "$folder/helm4" ]; then
  GOFLAGS= GOBIN=$sources go install "helm.sh/helm/v4/cmd/helm@v$helm4"
  mv "$sources/helm" "$folder/helm4"
fi
if [ ! -d "$folder/gateway-api" ]; then
  module=$(GOFLAGS= go mod download -json "sigs.k8s.io/gateway-api@v$gateway_api" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  cp -r --no-preserve=mode "$module/config/crd/standard" "$sources/gateway-api"
  mv "$sources/gateway-api" "$folder"
fi
echo "$folder"
