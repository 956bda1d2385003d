#!/usr/bin/env bash
# Rehearses docs/operations.md on a cluster: installs, tests, upgrades, scales, drains a removed pod's spool, grows the
# spool, restores MongoDB, rotates the signing key, rolls back and uninstalls. Ends with 1 at the first step that fails.
#
#   deploy/rehearse.sh NAMESPACE [arguments for helm, such as -f values.yaml]
#
# Needs kubectl and helm, and a namespace with the Secrets of docs/operations.md and databases that the values name. It is
# for an empty namespace of a test cluster: it changes the signing key and deletes claims. The storage class must allow
# expansion; otherwise set GROW= to skip that step. DATABASES names the namespace of deploy/rehearsal/databases.yaml;
# without it, nothing is restored.
set -euo pipefail
namespace=${1:?"usage: $0 NAMESPACE [arguments for helm]"}
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
chart=$here/helm/waymark
release=waymark
# More than the deadline of each Job.
timeout=10m
k() { kubectl --namespace "$namespace" "$@"; }
step() { printf '\n== %s\n' "$1"; }
fail() { echo "$0: $1" >&2; exit 1; }
upgrade() { helm upgrade "$release" "$chart" -n "$namespace" --reset-then-reuse-values --wait --timeout "$timeout" "$@" > /dev/null; }
works() { helm test "$release" -n "$namespace" --timeout "$timeout" > /dev/null && echo 'helm test succeeded'; }
nothing_left() {
  local left
  left=$(k get jobs,pods -l "app.kubernetes.io/instance=$release" -o name | grep -E "job|migration|drain|-test$" || true)
  [ -z "$left" ] || fail "left behind: $left"
}

step 'install'
helm install "$release" "$chart" -n "$namespace" --wait --timeout "$timeout" "$@" > /dev/null
works
nothing_left

step 'refuse an upgrade that cannot work, and keep serving'
if upgrade --set metrics.port=3000 2> /dev/null; then fail 'the upgrade was not refused'; fi
works

step 'scale links-svc to 3 and back to 2; the notes name the claim of the removed pod'
upgrade --set services.links-svc.replicas=3
upgrade --set services.links-svc.replicas=2
k wait --for=delete "pod/$release-links-svc-2" --timeout="$timeout"
claim=spool-$release-links-svc-2
helm get notes "$release" -n "$namespace" | grep -q "$claim" || fail "the notes do not name $claim"

step 'send the clicks of the removed pod'
upgrade --set "spoolDrain.claims={$claim}"
k delete persistentvolumeclaim "$claim"
upgrade --set-json 'spoolDrain.claims=[]'
nothing_left

if [ -n "${GROW=14Gi}" ]; then
  step "grow the spool to $GROW"
  "$here/grow-spool.sh" "$release" "$namespace" "$GROW" --wait --timeout "$timeout" > /dev/null
  k wait --for=jsonpath='{.status.capacity.storage}'="$GROW" --timeout="$timeout" \
    persistentvolumeclaims -l "app.kubernetes.io/instance=$release"
  works
fi

if [ -n "${DATABASES:-}" ]; then
  step 'back up MongoDB, lose links, restore'
  in_mongodb() { kubectl --namespace "$DATABASES" exec --stdin deployment/mongodb -- "$@"; }
  js() { in_mongodb mongosh --quiet waymark --eval "$1" < /dev/null; }
  scale() { k scale statefulsets,deployments -l "app.kubernetes.io/instance=$release" --replicas "$1"; }
  js 'db.redirects.insertOne({ _id: "/rehearsed", link_id: "rehearsal", account_id: "rehearsal" })'
  backup=$(mktemp)
  in_mongodb mongodump --db waymark --excludeCollection visitor_keys --gzip --archive > "$backup" < /dev/null
  scale 0
  k wait --for=delete pods -l "app.kubernetes.io/instance=$release" --timeout="$timeout"
  js 'db.links.deleteMany({}); db.redirects.deleteMany({}); db.visitor_keys.insertOne({ _id: "kept" })'
  in_mongodb mongorestore --drop --gzip --archive < "$backup"
  rm "$backup"
  scale 1
  works
  js 'quit(db.redirects.findOne({ _id: "/rehearsed" }) !== null && db.visitor_keys.findOne({ _id: "kept" }) !== null ? 0 : 1)' ||
    fail 'a redirect was not restored, or the restore removed the keys of visitors'
  echo 'the redirect was restored, and the keys of visitors stayed'
  js 'db.redirects.deleteOne({ _id: "/rehearsed" }); db.visitor_keys.deleteOne({ _id: "kept" })'
fi

step 'rotate the signing key'
new=$(openssl rand -hex 32)
k patch secret waymark-signing-key --type merge -p "{\"stringData\":{\"next\":\"$new\"}}"
upgrade --set signingKey.previousKey=next
works
upgrade --set signingKey.key=next,signingKey.previousKey=signing-key
works
upgrade --set signingKey.previousKey=
works

step 'roll back'
helm rollback "$release" -n "$namespace" --wait --timeout "$timeout"
works

step 'uninstall; only the claims stay'
helm uninstall "$release" -n "$namespace" --wait --timeout "$timeout"
k wait --for=delete pods -l "app.kubernetes.io/instance=$release" --timeout="$timeout"
left=$(k get all,configmaps,serviceaccounts,networkpolicies,poddisruptionbudgets,ingresses \
  -l "app.kubernetes.io/instance=$release" -o name)
[ -z "$left" ] || fail "left behind: $left"
k delete persistentvolumeclaims -l "app.kubernetes.io/instance=$release"
echo 'every step worked'
