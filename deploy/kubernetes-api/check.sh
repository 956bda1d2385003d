#!/usr/bin/env bash
# Checks the chart on a real Kubernetes API: etcd, kube-apiserver, controllers and scheduler on loopback, in a temporary
# folder. Nodes are objects, and kubelet.mjs stands in for kubelets and storage, so no container runs: it shows what the
# API, its controllers and Helm do with the chart, not what the services do. First with every feature, then
# deploy/rehearse.sh. Prints a transcript, and ends with 1 at the first step that fails.
#
# Needs kubectl, node and the binaries of build.sh. With --build, builds them first (half an hour); without it, is skipped
# if they are missing. KUBERNETES is the version: 1.34.4 by default, 1.30.14 for the oldest that Chart.yaml admits.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
chart=$here/../helm/waymark
cached=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/waymark-kubernetes}/${KUBERNETES:-1.34.4}
[ "${1:-}" != --build ] || "$here/build.sh" > /dev/null
for tool in kubectl node "$cached/helm" "$cached/helm4" "$cached/etcd" "$cached/kube-scheduler" "$cached/gateway-api"; do
  command -v "$tool" > /dev/null || [ -d "$tool" ] || {
    echo "skipped: the check on a Kubernetes API needs $(basename "$tool")"
    [ "${1:-}" != --build ]
    exit
  }
done
PATH=$cached:$PATH

. "$here/api.sh"
version=$(kubectl version -o json 2> /dev/null | sed -n 's/.*"gitVersion": "\(v[^"]*\)".*/\1/p' | tail -n 1)
minor=$(cut -d. -f2 <<< "$version")
everything=$folder/values-everything.yaml
cp -r "$here/../helm/values-everything.yaml" "$here/../helm/examples" .
[ "$minor" -ge 31 ] || sed -i /trafficDistribution/d "$everything" examples/*.yaml
# refused COMMAND...: a helm command refuses each line of standard input (of refused-values.txt) with its message.
refused() {
  local values message
  while IFS='|' read -r values message; do
    echo "$values" > refused.yaml
    if "$@" -f refused.yaml > refused.txt 2>&1; then fail "accepted $values"; fi
    grep -qF -- "$message" refused.txt || { cat refused.txt; fail "$values: the message lacks: $message"; }
    printf '%s\n    %s\n' "$values" "$(grep -F -- "$message" refused.txt | head -n 1 | sed 's/^- //')"
  done
}
foreign='which this cluster does not have|needs monitoring|needs gateway.networking'

echo "Kubernetes $version, Helm $(helm version --template '{{.Version}}'), 3 nodes, Pod Security restricted"
step 'what the cluster does not have is refused: kinds of operators, fields of a newer Kubernetes'
{
  grep -E "$foreign" "$here/../helm/refused-values.txt"
  [ "$minor" -ge 31 ] || echo '{service: {trafficDistribution: PreferClose}}|needs Kubernetes 1.31: this cluster has v1.30'
  [ "$minor" -ge 34 ] || echo '{service: {trafficDistribution: PreferSameZone}}|needs Kubernetes 1.34: this cluster has v1.'
} | refused helm install waymark "$chart" -n default --dry-run=server

. "$here/platform.sh"

kinds=deployments,statefulsets,networkpolicies,poddisruptionbudgets,ingresses,httproutes,servicemonitors,prometheusrules,scaledobjects,persistentvolumeclaims,pods,services,configmaps,serviceaccounts,horizontalpodautoscalers
# objects: each object with its uid and its generation; with its spec or its version, if the API counts no generations.
objects() { k get "$kinds" -l app.kubernetes.io/instance=waymark -o go-template='{{range .items}}{{.kind}}/{{.metadata.name}} {{.metadata.uid}} {{if .metadata.generation}}{{.metadata.generation}}{{else if .spec}}{{.spec}}{{else}}{{.metadata.resourceVersion}}{{end}}{{"\n"}}{{end}}'; }
# same BEFORE WHAT: no object changed since then.
same() {
  objects | diff "$1" - || fail "$2 changed something"
  echo "$(wc -l < "$1") objects, none changed"
}
# holds: the API holds every field of the release as the chart renders it.
holds() {
  helm get manifest waymark -n waymark > manifest.yaml
  kubectl diff --server-side --field-manager=check --force-conflicts -f manifest.yaml || fail 'the API holds something else'
  # A field that the API forgets is no difference to it.
  kubectl create --dry-run=client -o json -f manifest.yaml > sent.json
  kubectl get -o json -f manifest.yaml > held.json
  node "$here/forgotten.mjs" sent.json held.json || fail 'the API forgot fields'
}
# replicas_are NUMBERS: waits until analytics-svc, gateway, mcp-svc and links-svc have so many ready pods. Autoscalers raise
# them a while after an installation.
replicas_are() {
  for _ in $(seq 120); do
    [ "$(k get deployments,statefulsets -o jsonpath='{.items[*].status.readyReplicas}')" != "$1" ] || return 0
    sleep 0.5
  done
  fail "not $1 pods"
}
images() { k get pods -o jsonpath='{range .items[*]}{.spec.containers[0].image}{"\n"}{end}' | sort | uniq -c; }
jobs_left() { k get jobs,pods -o name | grep -E 'job|migrat|drain|-apply-|-test' || true; }
# The pods of a deleted Job go a moment later.
none_left() { for _ in $(seq 20); do [ -n "$(jobs_left)" ] || break; sleep 0.5; done; [ -z "$(jobs_left)" ] || fail "left behind: $(jobs_left)"; }
revision() { helm history waymark -n waymark -o json | grep -o '"revision":[0-9]*' | tail -n 1; }
upgrade() { helm upgrade waymark "$chart" -n waymark --reset-then-reuse-values --wait --timeout 5m "$@" 2>&1; }
# The state that a refused or failed upgrade must not change.
state() { k get statefulsets,deployments,services,configmaps -o jsonpath='{range .items[*]}{.kind}/{.metadata.name} {.spec} {.data}{"\n"}{end}'; k get pods -l '!job-name' -o jsonpath='{range .items[*]}{.metadata.name} {.metadata.uid}{"\n"}{end}'; }
objects_left() {
  k get all,configmaps,serviceaccounts,networkpolicies,poddisruptionbudgets,ingresses,httproutes,listenersets,servicemonitors,prometheusrules,scaledobjects,persistentvolumeclaims -o name |
    grep -Ev 'configmap/(kube-root-ca.crt|proxy-settings|company-ca)|serviceaccount/(default|existing)' || true
}
# why INSTALLATION|UPGRADE: what Helm says of a hook that failed.
why() { grep -A 1 "$1 FAILED" failed.txt | sed 's/^Error: //'; }
unchanged() { state | diff <(echo "$before") - || fail "$1 changed something"; }

step 'each example is accepted'
for values in examples/*.yaml; do
  helm template waymark "$chart" -n waymark --validate -f "$values" > example.yaml
  k apply --dry-run=server -f example.yaml > accepted.txt 2>&1 || { cat accepted.txt; fail "$values"; }
  ! grep -i warning accepted.txt || fail "$values: warnings of the API"
  echo "$(basename "$values"): $(wc -l < accepted.txt) objects"
done

step 'an installation whose migration fails leaves nothing'
echo fail > job.txt
if helm install waymark "$chart" -n waymark -f "$everything" --set migration.backoffLimit=0 --wait > failed.txt 2>&1; then
  fail 'the installation succeeded'
fi
rm job.txt
why INSTALLATION
helm uninstall waymark -n waymark --wait
none_left
[ -z "$(objects_left)" ] || fail "left behind: $(objects_left)"

step 'install with every feature'
helm install waymark "$chart" -n waymark -f "$everything" --wait --timeout 5m > install.txt 2>&1 || { cat install.txt; fail 'install'; }
if grep -i 'would violate\|warning: ' install.txt | grep -iv 'WARNING: no pod uses'; then fail 'warnings of the API'; fi
none_left
# The autoscalers raise the replicas to their minimum; KEDA does not run here.
k scale deployment waymark-analytics-svc --replicas=3 > /dev/null
replicas_are '3 3 3 3'
k get deployments,statefulsets,horizontalpodautoscalers,poddisruptionbudgets,scaledobjects,httproutes,ingresses,servicemonitors,prometheusrules,networkpolicies -o name
k get configmaps -o name | grep waymark
k get services -o jsonpath='{range .items[*]}{.metadata.name} {.spec.ipFamilies} {.spec.trafficDistribution}{"\n"}{end}'
k get serviceaccounts -l app.kubernetes.io/instance=waymark -o jsonpath='{range .items[*]}{.metadata.name} {.metadata.annotations}{"\n"}{end}'
k get pods -o jsonpath='{range .items[*]}{.metadata.labels.app\.kubernetes\.io/component}: team {.metadata.labels.example\.com/team}, account {.spec.serviceAccountName}, priority {.spec.priorityClassName}, init containers {.spec.initContainers[*].name}, environment of {.spec.containers[0].envFrom[*].configMapRef.name}, volumes {.spec.volumes[*].name}, spread over {.spec.topologySpreadConstraints[*].topologyKey}, security {.spec.securityContext}{"\n"}{end}' | sort -u
k get horizontalpodautoscalers -o jsonpath='{range .items[*]}{.metadata.name}: {.spec.minReplicas} to {.spec.maxReplicas}, scales down {.spec.behavior.scaleDown}{"\n"}{end}'
k get httproutes -o jsonpath='{range .items[*]}{.metadata.name}: gateway {.spec.parentRefs[0].name}, section {.spec.parentRefs[0].sectionName}, filters {.spec.rules[0].filters[*].type}{"\n"}{end}'
k get statefulset waymark-links-svc -o jsonpath='claims of {.metadata.name}: {.spec.persistentVolumeClaimRetentionPolicy}{"\n"}'
k get prometheusrule waymark -o jsonpath='alerts: {.spec.groups[*].rules[*].alert}{"\n"}'
grep -h 'migrat' kubelet.log | tail -n 2

step 'the notes'
helm get notes waymark -n waymark > notes.txt
cat notes.txt
! grep 'were sent' notes.txt || fail 'an installation drains nothing'

step 'helm test'
helm test waymark -n waymark --timeout 2m | grep -E 'Phase|SUITE'
grep -h 'waymark-test' kubelet.log
none_left

step 'refused upgrades change nothing'
before=$(state) at=$(revision)
# Refused without the other values of this installation only.
grep -vE "$foreign" "$here/../helm/refused-values.txt" | refused upgrade --reset-values
upgrade --set services.links-svc.spool.size=40Gi > refused.txt && fail 'accepted another size of the spool'
grep -o 'services.links-svc.spool.size (40Gi).*' refused.txt
unchanged 'a refused upgrade'
[ "$at" = "$(revision)" ] || fail 'a refused upgrade made a revision'
echo 'no object changed'

step 'a failing migration: the old pods stay, and nothing is left'
policies=$(k get networkpolicies -o name)
echo fail > job.txt
started=$SECONDS
if upgrade --set logLevel=info,migration.backoffLimit=1 > failed.txt; then fail 'the upgrade succeeded'; fi
rm job.txt
why UPGRADE
unchanged 'the failed upgrade'
none_left
[ "$policies" = "$(k get networkpolicies -o name)" ] || fail 'the failed upgrade left a NetworkPolicy'
echo "after $((SECONDS - started)) seconds; no object changed, no Job left"

step 'a migration that hangs ends at its own deadline, before that of Helm'
echo hang > job.txt
started=$SECONDS
if upgrade --set migration.activeDeadlineSeconds=60 > failed.txt; then fail 'the upgrade succeeded'; fi
rm job.txt
why UPGRADE
unchanged 'the failed upgrade'
none_left
echo "after $((SECONDS - started)) seconds; no object changed, no Job left"

step 'upgrade, drain left claims, roll back'
for n in 3 4; do
  k apply -f - > /dev/null <<EOF
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: spool-waymark-links-svc-$n }
spec: { accessModes: [ReadWriteOnce], storageClassName: fast, resources: { requests: { storage: 20Gi } } }
EOF
done
echo fail > job.txt
echo 'a drain that fails:'
if upgrade --set migration.enabled=false,spoolDrain.backoffLimit=0 > failed.txt; then fail 'the drain succeeded'; fi
rm job.txt
why UPGRADE
none_left
echo 'again:'
upgrade --set services.gateway.image.tag=0.2.0 > upgrade.txt || { cat upgrade.txt; fail 'upgrade'; }
images
grep -hE '(drain|apply).*exit 0' kubelet.log
none_left
helm rollback waymark 1 -n waymark --wait --timeout 5m
images
none_left
holds

step 'an upgrade with the same values sends nothing'
objects > before.txt
upgrade > upgrade.txt || { cat upgrade.txt; fail 'upgrade'; }
same before.txt 'the upgrade'
none_left

step 'files of links: a Job applies each of them after every upgrade, and one that fails fails the upgrade'
# applied: how many of these Jobs succeeded by now, by the name of the Job.
applied() { grep -ohE '^waymark-apply-[0-9]+-[a-z0-9]+: exit 0' kubelet.log | cut -d- -f 1-3 | sort | uniq -c; }
echo 'links: []' > links.yaml
k create configmap team-a-links --from-file=links.yaml > /dev/null
before=$(applied)
echo 'links: [{ slug: a, destination_url: "https://example.com/" }]' > links.yaml
k create configmap team-a-links --from-file=links.yaml --dry-run=client -o yaml | k replace -f - > /dev/null
upgrade > upgrade.txt || { cat upgrade.txt; fail 'upgrade'; }
after=$(applied)
[ "$(awk '{ print $1 + 1, $2 }' <<< "$before")" = "$(awk '{ print $1, $2 }' <<< "$after")" ] || fail "not one more of each Job: $before, $after"
none_left
echo "$after"
# The pods are those of before: nothing but the hook failed.
before=$(state)
echo 'fail waymark-apply-1' > job.txt
if upgrade --set apply.backoffLimit=0 > failed.txt; then fail 'the upgrade succeeded'; fi
rm job.txt
why UPGRADE
unchanged 'the failed upgrade'
none_left
upgrade --set apply.backoffLimit=1 > upgrade.txt || { cat upgrade.txt; fail 'upgrade'; }
unchanged 'the upgrade after it'
k delete configmap team-a-links > /dev/null
none_left

step 'the short hosts of accounts: real kinds of the Gateway API, long and international names'
. "$here/hosts.sh"

# uids OBJECTS: the names and ids of the pods or claims of links-svc.
uids() { k get "$1" -l app.kubernetes.io/component=links-svc -o jsonpath='{range .items[*]}{.metadata.name} {.metadata.uid}{"\n"}{end}'; }
three_links_pods() {
  for _ in $(seq 240); do
    [ "$(k get pods -l app.kubernetes.io/component=links-svc --field-selector=status.phase=Running -o name | wc -l)" != 3 ] || return 0
    sleep 0.5
  done
  fail 'three pods of links-svc'
}
step 'grow the spool while an autoscaler sets the replicas: the pods keep running'
before=$(uids pods)
"$here/../grow-spool.sh" waymark waymark 40Gi --wait --timeout 5m > grown.txt 2>&1 || { cat grown.txt; fail 'grow'; }
k wait --for=jsonpath='{.status.capacity.storage}'=40Gi --timeout=1m persistentvolumeclaims -l app.kubernetes.io/component=links-svc
sleep 5
uids pods | diff <(echo "$before") - || fail 'growing replaced a pod'
k get statefulsets -o jsonpath='{range .items[*]}{.metadata.name}: {.status.readyReplicas} ready, volumes of {.spec.volumeClaimTemplates[0].spec.resources.requests.storage}{"\n"}{end}'
echo "$(wc -l <<< "$before") pods, the same as before"

step 'without volumes, and back'
kept='services.links-svc.spool.claimRetention.whenDeleted=Retain'
upgrade --set "$kept" > upgrade.txt || { cat upgrade.txt; fail 'upgrade'; }
claims=$(uids persistentvolumeclaims)
upgrade --set services.links-svc.spool.persistent=false > upgrade.txt || { cat upgrade.txt; fail 'persistent=false'; }
[ -z "$(k get statefulsets -o name)" ] || fail 'the StatefulSet is still there'
three_links_pods
uids persistentvolumeclaims | diff <(echo "$claims") - || fail 'a claim is gone'
helm get notes waymark -n waymark | grep -A 2 'no pod uses these claims' | tail -n 1
upgrade --set "spoolDrain.claims={$(k get persistentvolumeclaims -l app.kubernetes.io/component=links-svc -o jsonpath='{.items[*].metadata.name}' | tr ' ' ,)}" > upgrade.txt || { cat upgrade.txt; fail 'drain'; }
helm get notes waymark -n waymark | grep 'were sent'
none_left
upgrade --set-json 'spoolDrain.claims=[]' --set services.links-svc.spool.persistent=true > upgrade.txt || { cat upgrade.txt; fail 'persistent=true'; }
three_links_pods
uids persistentvolumeclaims | diff <(echo "$claims") - || fail 'a claim is gone'
echo "$(wc -l <<< "$claims") claims, the same as before"
upgrade --set services.links-svc.spool.claimRetention.whenDeleted=Delete > upgrade.txt || { cat upgrade.txt; fail 'upgrade'; }
none_left

step 'disruptions: of each service, one pod at a time may be evicted'
kill -STOP "$kubelet"
for service in gateway links-svc analytics-svc mcp-svc; do
  for pod in $(k get pods -l app.kubernetes.io/component="$service" -o name | head -n 2); do
    name=${pod#pod/}
    printf '%s: ' "$name"
    eviction='{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"'$name'","namespace":"waymark"}}'
    if kubectl create --raw "/api/v1/namespaces/waymark/pods/$name/eviction" -f - <<< "$eviction" > answer.txt 2>&1; then
      echo evicted
    else
      grep -o 'Cannot evict pod[^.]*' answer.txt
    fi
  done
done > evictions.txt
kill -CONT "$kubelet"
cat evictions.txt
[ "$(grep -c ': evicted' evictions.txt)" = 4 ] && [ "$(grep -c 'Cannot evict' evictions.txt)" = 4 ] || fail 'the disruption budgets'
kubectl drain one --ignore-daemonsets --delete-emptydir-data --force --timeout 3m 2>&1 | tail -n 1
kubectl uncordon one > /dev/null

step 'scale down: the claim of the removed pod stays, or goes with whenScaled'
third=spool-waymark-links-svc-2
upgrade --set services.links-svc.autoscaling.enabled=false,services.links-svc.replicas=2 > upgrade.txt || { cat upgrade.txt; fail 'upgrade'; }
k wait --for=delete pod/waymark-links-svc-2 --timeout=1m
k get persistentvolumeclaim "$third" -o name
helm get notes waymark -n waymark | grep -o "WARNING: .*"
helm get notes waymark -n waymark | grep -q "$third" || fail "the notes do not name $third"
upgrade --set services.links-svc.replicas=3 > upgrade.txt || { cat upgrade.txt; fail 'upgrade'; }
upgrade --set services.links-svc.replicas=2,services.links-svc.spool.claimRetention.whenScaled=Delete > upgrade.txt || { cat upgrade.txt; fail 'upgrade'; }
k wait --for=delete "persistentvolumeclaim/$third" --timeout=1m
echo "$third is deleted"

step 'an upgrade with large and decimal numbers in a file, and no replicas'
claims=$(uids persistentvolumeclaims)
cat > numbers.yaml <<'EOF'
limits: { requestsPerMinute: 1000000, authFailuresPerMinute: 1000000000 }
migration: { backoffLimit: 1000000 }
jobs: { resources: { limits: { memory: 1073741824 } } }
services:
  gateway:
    resources: { requests: { cpu: 0.5, memory: 0.25Gi }, limits: { memory: 1073741824 } }
    autoscaling: { maxReplicas: 1000000 }
    podDisruptionBudget: { maxUnavailable: 1000000 }
  links-svc:
    replicas: 0
    env: [{ name: NODE_OPTIONS, value: --max-old-space-size=512 }]
    spool: { maxBytes: 1000000000, claimRetention: { whenScaled: Retain } }
EOF
upgrade -f numbers.yaml > upgrade.txt || { cat upgrade.txt; fail 'upgrade'; }
holds
{
  k get deployment waymark-gateway -o jsonpath='{.spec.template.spec.containers[0].env[?(@.name=="RATE_LIMIT_PER_MINUTE")].value} requests a minute, {.spec.template.spec.containers[0].resources}{"\n"}'
  k get statefulset waymark-links-svc -o jsonpath='{.spec.replicas} replicas, {.spec.template.spec.containers[0].env[?(@.name=="NODE_OPTIONS")].value}{"\n"}'
  k get horizontalpodautoscaler waymark-gateway -o jsonpath='at most {.spec.maxReplicas} replicas{"\n"}'
  k get poddisruptionbudget waymark-gateway -o jsonpath='at most {.spec.maxUnavailable} unavailable{"\n"}'
} | tee held.txt
diff held.txt - <<'EOF' || fail 'the API holds other numbers'
1000000 requests a minute, {"limits":{"memory":"1073741824"},"requests":{"cpu":"500m","memory":"256Mi"}}
0 replicas, --max-old-space-size=512
at most 1000000 replicas
at most 1000000 unavailable
EOF
k wait --for=delete pods -l app.kubernetes.io/component=links-svc --timeout=1m > /dev/null
objects > before.txt
upgrade > upgrade.txt || { cat upgrade.txt; fail 'upgrade'; }
same before.txt 'the same upgrade again'
upgrade --set services.links-svc.replicas=2 > upgrade.txt || { cat upgrade.txt; fail 'upgrade'; }
uids persistentvolumeclaims | diff <(echo "$claims") - || fail 'a claim is gone'
echo '2 replicas again, with the same claims'

step 'Helm 4 upgrades the release of Helm 3'
objects > before.txt
helm4 upgrade waymark "$chart" -n waymark --reset-then-reuse-values --wait --timeout 5m > upgrade.txt 2>&1 || { cat upgrade.txt; fail 'upgrade'; }
same before.txt 'the upgrade'
none_left

step 'uninstall'
helm uninstall waymark -n waymark --wait --timeout 5m
k wait --for=delete pods --all --timeout=2m > /dev/null 2>&1 || true
left=$(objects_left)
echo "left: ${left:-nothing}"
# Claims of pods go with their StatefulSet, as the values ask for; these two had no pod.
[ "$left" = "$(printf 'persistentvolumeclaim/spool-waymark-links-svc-%s\n' 3 4)" ] || fail 'uninstall left something'
k delete persistentvolumeclaims --all > /dev/null

step 'helm template and kubectl apply: a second apply sends nothing'
helm template waymark "$chart" --namespace waymark --no-hooks --validate -f "$everything" > rendered.yaml
for side in --server-side=false --server-side; do
  kubectl apply "$side" -f rendered.yaml > applied.txt
  replicas_are '1 3 3 3'
  objects > before.txt
  kubectl diff "$side" -f rendered.yaml || fail 'kubectl finds a difference'
  kubectl apply "$side" -f rendered.yaml > applied.txt
  printf '%s: ' "$side"
  same before.txt 'the second apply'
  kubectl delete -f rendered.yaml > /dev/null
  k delete persistentvolumeclaims --all > /dev/null
done

step 'Helm 4, which applies on the server: install without replicas and storage class, the same again, uninstall'
helm4 install waymark "$chart" -n waymark -f "$everything" -f "$here/../helm/values-other.yaml" --set-json 'spoolDrain.claims=[]' \
  --set services.links-svc.autoscaling.enabled=false --wait --timeout 5m > install.txt 2>&1 || { cat install.txt; fail 'install'; }
k get statefulset waymark-links-svc -o jsonpath='{.metadata.name}: {.spec.replicas} replicas, volumes of {.spec.volumeClaimTemplates[0].spec.resources.requests.storage}, storage class "{.spec.volumeClaimTemplates[0].spec.storageClassName}"{"\n"}'
replicas_are '1 3 3'
holds
objects > before.txt
upgrade4() {
  helm4 upgrade waymark "$chart" -n waymark --reset-then-reuse-values --wait --timeout 5m "$@" > upgrade.txt 2>&1 ||
    { cat upgrade.txt; fail 'upgrade'; }
}
upgrade4
same before.txt 'the upgrade'
upgrade4 --set services.links-svc.replicas=1,logLevel=info
holds
k get persistentvolumeclaims -o jsonpath='{range .items[*]}{.metadata.name}: {.status.phase}, storage class "{.spec.storageClassName}"{"\n"}{end}'
none_left
helm4 uninstall waymark -n waymark --wait --timeout 5m
k wait --for=delete pods --all --timeout=2m > /dev/null 2>&1 || true
[ -z "$(objects_left)" ] || fail "left behind: $(objects_left)"

step 'deploy/rehearse.sh'
"$here/../rehearse.sh" waymark -f "$here/../rehearsal/values.yaml" 2>&1 || fail 'the rehearsal'
