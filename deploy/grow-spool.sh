#!/usr/bin/env bash
# Grows the volumes of links-svc's spool. Kubernetes cannot change the volumes of a StatefulSet. So this grows each claim,
# deletes the StatefulSet but not its pods, and lets Helm create it again with the new size. Pods keep running.
#
#   deploy/grow-spool.sh RELEASE NAMESPACE SIZE [arguments for helm upgrade]
#   deploy/grow-spool.sh waymark waymark 50Gi --set services.links-svc.spool.maxBytes=42949672960
#
# Needs kubectl, helm and the Helm chart beside this script (CHART names another one). The storage class must allow
# expansion. If a step fails, fix its cause and run the same command again.
set -euo pipefail
usage="usage: $0 RELEASE NAMESPACE SIZE [arguments for helm upgrade]"
release=${1:?"$usage"} namespace=${2:?"$usage"} size=${3:?"$usage"}
shift 3
chart=${CHART:-$(dirname "${BASH_SOURCE[0]}")/helm/waymark}
k() { kubectl --namespace "$namespace" "$@"; }
upgrade() {
  helm upgrade "$release" "$chart" --namespace "$namespace" --reuse-values "$@" --set services.links-svc.spool.size="$size"
}

selector="app.kubernetes.io/name=waymark,app.kubernetes.io/instance=$release,app.kubernetes.io/component=links-svc"
claims=$(k get persistentvolumeclaims -l "$selector" -o name)
[ -n "$claims" ] || { echo "$0: release $release in namespace $namespace has no claims of links-svc" >&2; exit 1; }

# Nothing is changed unless every volume can grow and the chart accepts the values.
for claim in $claims; do
  class=$(k get "$claim" -o jsonpath='{.spec.storageClassName}')
  if [ "$(kubectl get storageclass "$class" -o jsonpath='{.allowVolumeExpansion}')" != true ]; then
    echo "$0: $claim is of the storage class $class, which does not allow expansion (allowVolumeExpansion: true)" >&2
    exit 1
  fi
done
upgrade "$@" --dry-run=client > /dev/null

for claim in $claims; do
  k patch "$claim" --type merge -p "{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"$size\"}}}}"
done
k delete statefulset -l "$selector" --cascade=orphan
upgrade "$@"
