# The images, and the store in which build.sh and check.sh keep them.
apps=(gateway links-svc analytics-svc mcp-svc admin)
store=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/waymark-images}
mkdir -p "$store"
in_store=(--root "$store/store" --runroot "$store/run" --storage-driver overlay)

buildah() { command buildah "${in_store[@]}" "$@"; }
podman() { command podman "${in_store[@]}" --cgroup-manager cgroupfs "$@"; }
image() { echo "localhost/waymark/$1:check"; }
