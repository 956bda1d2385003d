#!/usr/bin/env bash
# Builds the image of each service with buildah, without Docker or a registry of images. Both base images of the Dockerfile
# are made from Debian's packages, and the package `node` of the npm registry. Images and layers are cached, in a store of
# their own. Takes about ten minutes on two cores the first time.
#
# Needs root, buildah, podman, debootstrap and npm. Prints the name and the size of each image.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=store.sh
. "$repository/deploy/images/store.sh"
release=trixie
node_version=$(sed -n 's/^ARG NODE_VERSION=//p' "$repository/Dockerfile")
build_base=docker.io/library/node:$node_version-$release-slim
run_base=$(sed -n 's/^FROM \(gcr[^ ]*\)$/\1/p' "$repository/Dockerfile")
# What gcr.io/distroless/cc-debian13 contains, and the service needs.
run_packages=(base-files netbase tzdata ca-certificates libc6 gcc-14-base libgcc-s1 libstdc++6)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

make_bases() {
  local packages container root
  packages=$(IFS=,; echo "${run_packages[*]}")
  container=$(buildah from scratch)
  root=$(buildah mount "$container")
  debootstrap --variant=minbase --include="$packages" "$release" "$root" http://deb.debian.org/debian
  npm install --silent --no-save --prefix "$folder" "node@$node_version"
  install "$folder"/node_modules/node/bin/node "$root/usr/local/bin/node"
  npm install --silent --global --prefix "$root/usr/local" npm@11
  # The registry and the certificates of this machine. The images of the services do not get them.
  echo "registry=$(npm config get registry)" > "$root/root/.npmrc"
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
    cp "$NODE_EXTRA_CA_CERTS" "$root/etc/ssl/extra.pem"
    buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/extra.pem "$container"
  fi
  buildah commit --quiet "$container" "$build_base"

  local small small_root package
  small=$(buildah from scratch)
  small_root=$(buildah mount "$small")
  for package in "${run_packages[@]}"; do
    dpkg-deb --extract "$root"/var/cache/apt/archives/"$package"_*.deb "$small_root"
  done
  cp "$root/etc/ssl/certs/ca-certificates.crt" "$small_root/etc/ssl/certs/"
  echo 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' > "$small_root/etc/passwd"
  echo 'nonroot:x:65532:' > "$small_root/etc/group"
  buildah config --env PATH=/usr/local/bin:/usr/bin:/bin --user 65532 "$small"
  buildah commit --quiet --rm "$small" "$run_base"
  buildah rm "$container" > /dev/null
}

buildah inspect --type image "$build_base" > /dev/null 2>&1 &&
  buildah inspect --type image "$run_base" > /dev/null 2>&1 || make_bases >&2
for app in "${apps[@]}"; do
  buildah bud --quiet --layers --isolation chroot --pull=never --network host --build-arg "APP=$app" \
    --tag "$(image "$app")" --file "$repository/Dockerfile" "$repository" >&2
done
podman images --format '{{.Repository}}:{{.Tag}} {{.Size}}' --filter reference='localhost/waymark/*'
