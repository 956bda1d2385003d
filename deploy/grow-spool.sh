#!/usr/bin/env bash
# Grows the volumes of links-svc's spool. Kubernetes cannot change the volumes of a StatefulSet. So this grows each claim,
# deletes the StatefulSet but not its pods, and creates it again with the new size and the same replicas. Helm cannot
# create it: with autoscaling, the chart names no replicas, and all pods but one would be deleted. Pods keep running.
#
#   deploy/grow-spool.sh RELEASE NAMESPACE SIZE [arguments for helm upgrade]
#   deploy/grow-spool.sh waymark waymark 50Gi --set services.links-svc.spool.maxBytes=42949672960
#
# Needs kubectl, helm and the Helm chart beside this script (CHART names another one). The storage class must allow
# expansion. If a step fails, fix its cause and run the same command again. If the StatefulSet could not be created, the
# script first prints the command that creates it.
set -euo pipefail
usage="usage: $0 RELEASE NAMESPACE SIZE [arguments for helm upgrade]"
release=${1:?"$usage"} namespace=${2:?"$usage"} size=${3:?"$usage"}
shift 3
chart=${CHART:-$(dirname "${BASH_SOURCE[0]}")/helm/waymark}
k() { kubectl --namespace "$namespace" "$@"; }
upgrade() {
  helm upgrade "$release" "$chart" --namespace "$namespace" --reset-then-reuse-values "$@" --set services.links-svc.spool.size="$size"
}

selector="app.kubernetes.io/instance=$release,app.kubernetes.io/component=links-svc"
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
name=$(k get statefulset -l "$selector" -o name)
[ -n "$name" ] || { echo "$0: release $release in namespace $namespace has no StatefulSet of links-svc" >&2; exit 1; }
saved=$(mktemp)
k get "$name" -o json | kubectl patch --local -f - --type json -o json -p "[
  {\"op\":\"replace\",\"path\":\"/spec/volumeClaimTemplates/0/spec/resources/requests/storage\",\"value\":\"$size\"},
  {\"op\":\"remove\",\"path\":\"/metadata/uid\"},
  {\"op\":\"remove\",\"path\":\"/metadata/resourceVersion\"},
  {\"op\":\"remove\",\"path\":\"/status\"}]" > "$saved"

for claim in $claims; do
  k patch "$claim" --type merge -p "{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"$size\"}}}}"
done
k delete "$name" --cascade=orphan
k create -f "$saved" || {
  echo "$0: the StatefulSet is deleted, but its pods are running. Create it: kubectl -n $namespace create -f $saved" >&2
  exit 1
}
rm "$saved"
upgrade "$@"
