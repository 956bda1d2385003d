#!/usr/bin/env bash
# Checks the chart on a real Kubernetes API: etcd, kube-apiserver, controllers and scheduler on loopback, in a temporary
# folder. Nodes are objects, and kubelet.mjs stands in for kubelets and storage, so no container runs: it shows what the
# API, its controllers and Helm do with the chart, not what the services do. First with every feature, then
# deploy/rehearse.sh. Prints a transcript, and ends with 1 at the first step that fails.
#
# Needs kubectl, node and the binaries of build.sh. With --build, builds them first (half an hour); without it, is skipped
# if they are missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
chart=$here/../helm/waymark
cached=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/waymark-kubernetes}/1.34.4
[ "${1:-}" != --build ] || "$here/build.sh" > /dev/null
for tool in kubectl node "$cached/helm" "$cached/etcd" "$cached/kube-scheduler"; do
  command -v "$tool" > /dev/null || {
    echo "skipped: the check on a Kubernetes API needs $(basename "$tool")"
    [ "${1:-}" != --build ]
    exit
  }
done
PATH=$cached:$PATH

folder=$(mktemp -d)
pids=()
end() {
  kill "${pids[@]}" 2> /dev/null || true
  # A process that is stopped ends only when it goes on.
  kill -CONT "${pids[@]}" 2> /dev/null || true
  wait "${pids[@]}" 2> /dev/null || true
  rm -rf "$folder"
}
trap end EXIT
cd "$folder"
api=https://127.0.0.1:16443
token=$(openssl rand -hex 16)

# run NAME COMMAND...: runs a command in the background until the end, with its output in NAME.log.
run() {
  local name=$1
  shift
  "$@" > "$name.log" 2>&1 &
  pids+=($!)
}
step() { printf '\n== %s\n' "$1"; }
fail() { echo "failed: $1" >&2; tail -n 5 ./*.log >&2; exit 1; }
k() { kubectl --namespace waymark "$@"; }

# The control plane.
openssl genrsa -out sa.key 2048 2> /dev/null
openssl rsa -in sa.key -pubout -out sa.pub 2> /dev/null
echo "$token,admin,1,\"system:masters\"" > tokens.csv
kubectl config --kubeconfig=kubeconfig set-cluster local --server="$api" --insecure-skip-tls-verify > /dev/null
kubectl config --kubeconfig=kubeconfig set-credentials admin --token="$token" > /dev/null
kubectl config --kubeconfig=kubeconfig set-context local --cluster=local --user=admin > /dev/null
kubectl config --kubeconfig=kubeconfig use-context local > /dev/null
chmod 600 kubeconfig
export KUBECONFIG=$folder/kubeconfig
run etcd etcd --data-dir etcd --listen-client-urls http://127.0.0.1:12379 --advertise-client-urls http://127.0.0.1:12379 \
  --listen-peer-urls http://127.0.0.1:12380 --initial-advertise-peer-urls http://127.0.0.1:12380 \
  --initial-cluster default=http://127.0.0.1:12380 --unsafe-no-fsync
run kube-apiserver kube-apiserver --etcd-servers=http://127.0.0.1:12379 --bind-address=127.0.0.1 --advertise-address=127.0.0.1 \
  --secure-port=16443 --cert-dir=certs --service-account-issuer=https://kubernetes.default \
  --service-account-key-file=sa.pub --service-account-signing-key-file=sa.key --service-cluster-ip-range=10.96.0.0/16,fd00:96::/112 \
  --authorization-mode=RBAC --token-auth-file=tokens.csv --disable-admission-plugins=ServiceAccount \
  --endpoint-reconciler-type=none
for _ in $(seq 240); do kubectl get --raw /readyz > /dev/null 2>&1 && break; sleep 0.5; done
kubectl get --raw /readyz > /dev/null || fail 'the API did not start'
run kube-controller-manager kube-controller-manager --kubeconfig=kubeconfig --service-account-private-key-file=sa.key \
  --leader-elect=false --bind-address=127.0.0.1 --controllers='*,-node-lifecycle-controller,-taint-eviction-controller'
run kube-scheduler kube-scheduler --kubeconfig=kubeconfig --leader-elect=false --bind-address=127.0.0.1
run kubelet env API="$api" TOKEN="$token" NODE_EXTRA_CA_CERTS="$folder/certs/apiserver.crt" JOBS="$folder/job.txt" \
  node "$here/kubelet.mjs"
kubelet=${pids[-1]}

# What a platform team has before it installs the chart: nodes in two zones, storage, a namespace that enforces Pod
# Security, Secrets, and the kinds of operators.
for node in one:a two:b three:b; do
  kubectl apply -f - > /dev/null <<EOF
apiVersion: v1
kind: Node
metadata:
  name: ${node%:*}
  labels: { kubernetes.io/arch: amd64, kubernetes.io/os: linux, kubernetes.io/hostname: ${node%:*}, topology.kubernetes.io/zone: ${node#*:} }
EOF
  kubectl patch node "${node%:*}" --subresource=status --type=merge -p '{"status":{
    "capacity":{"cpu":"32","memory":"64Gi","pods":"110"},"allocatable":{"cpu":"32","memory":"64Gi","pods":"110"},
    "conditions":[{"type":"Ready","status":"True","reason":"Simulated","message":""}]}}' > /dev/null
  kubectl patch node "${node%:*}" --type=merge -p '{"spec":{"taints":null}}' > /dev/null
done
everything=$here/../helm/values-everything.yaml
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

echo "Kubernetes $(kubectl version -o json 2> /dev/null | sed -n 's/.*"gitVersion": "\(v1.34[^"]*\)".*/\1/p' | tail -n 1), Helm $(helm version --template '{{.Version}}'), 3 nodes, Pod Security restricted"
step 'kinds of operators that the cluster does not have are refused'
grep -E "$foreign" "$here/../helm/refused-values.txt" | refused helm install waymark "$chart" -n default --dry-run=server

kind() { # kind GROUP VERSION KIND PLURAL
  cat <<EOF
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: $4.$1, annotations: { api-approved.kubernetes.io: unapproved } }
spec:
  group: $1
  scope: Namespaced
  names: { kind: $3, plural: $4 }
  versions:
    - { name: $2, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } } }
EOF
}
{
  kind monitoring.coreos.com v1 ServiceMonitor servicemonitors
  kind monitoring.coreos.com v1 PrometheusRule prometheusrules
  kind gateway.networking.k8s.io v1 HTTPRoute httproutes
  kind keda.sh v1alpha1 ScaledObject scaledobjects
  kind external-secrets.io v1 ExternalSecret externalsecrets
  cat <<'EOF'
---
apiVersion: v1
kind: Namespace
metadata: { name: waymark, labels: { pod-security.kubernetes.io/enforce: restricted, pod-security.kubernetes.io/warn: restricted } }
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: fast, annotations: { storageclass.kubernetes.io/is-default-class: "true" } }
provisioner: kubernetes.io/no-provisioner
allowVolumeExpansion: true
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: production }
value: 1000
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: normal }
value: 100
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: { name: gvisor }
handler: gvisor
---
apiVersion: v1
kind: Namespace
metadata: { name: monitoring }
EOF
} | kubectl apply -f - > /dev/null
k create serviceaccount existing > /dev/null
for secret in signing:current,previous waymark-signing-key:signing-key mongodb:uri,MONGODB_URL waymark-mongodb:url \
  clickhouse:password redis:uri registry:x waymark-grpc:tls.crt,tls.key,ca.crt waymark-clickhouse:password; do
  entries=()
  for entry in $(tr , ' ' <<< "${secret#*:}"); do entries+=("--from-literal=$entry=$(openssl rand -hex 32)"); done
  k create secret generic "${secret%:*}" "${entries[@]}" > /dev/null
done
k create configmap proxy-settings --from-literal=HTTP_PROXY= > /dev/null
k create configmap company-ca --from-literal=ca.crt= > /dev/null

images() { k get pods -o jsonpath='{range .items[*]}{.spec.containers[0].image}{"\n"}{end}' | sort | uniq -c; }
jobs_left() { k get jobs,pods -o name | grep -E 'job|migrat|drain|-test' || true; }
# The pods of a deleted Job go a moment later.
none_left() { for _ in $(seq 20); do [ -n "$(jobs_left)" ] || break; sleep 0.5; done; [ -z "$(jobs_left)" ] || fail "left behind: $(jobs_left)"; }
revision() { helm history waymark -n waymark -o json | grep -o '"revision":[0-9]*' | tail -n 1; }
upgrade() { helm upgrade waymark "$chart" -n waymark --reset-then-reuse-values --wait --timeout 5m "$@" 2>&1; }
# The state that a refused or failed upgrade must not change.
state() { k get statefulsets,deployments,services,configmaps -o jsonpath='{range .items[*]}{.kind}/{.metadata.name} {.spec} {.data}{"\n"}{end}'; k get pods -l '!job-name' -o jsonpath='{range .items[*]}{.metadata.name} {.metadata.uid}{"\n"}{end}'; }
objects_left() {
  k get all,configmaps,serviceaccounts,networkpolicies,poddisruptionbudgets,ingresses,httproutes,servicemonitors,prometheusrules,scaledobjects,persistentvolumeclaims -o name |
    grep -Ev 'configmap/(kube-root-ca.crt|proxy-settings|company-ca)|serviceaccount/(default|existing)' || true
}
# why INSTALLATION|UPGRADE: what Helm says of a hook that failed.
why() { grep -A 1 "$1 FAILED" failed.txt | sed 's/^Error: //'; }
unchanged() { state | diff <(echo "$before") - || fail "$1 changed something"; }

step 'each example is accepted'
for values in "$here"/../helm/examples/*.yaml; do
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
for _ in $(seq 120); do
  [ "$(k get deployments,statefulsets -o jsonpath='{.items[*].status.readyReplicas}')" != '3 3 3 3' ] || break
  sleep 0.5
done
[ "$(k get deployments,statefulsets -o jsonpath='{.items[*].status.readyReplicas}')" = '3 3 3 3' ] || fail 'three pods of each service'
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
if upgrade --set logLevel=info > failed.txt; then fail 'the upgrade succeeded'; fi
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
grep -h 'drain.*exit 0' kubelet.log
none_left
helm rollback waymark 1 -n waymark --wait --timeout 5m
images
none_left

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

step 'uninstall'
helm uninstall waymark -n waymark --wait --timeout 5m
k wait --for=delete pods --all --timeout=2m > /dev/null 2>&1 || true
left=$(objects_left)
echo "left: ${left:-nothing}"
# Claims of pods go with their StatefulSet, as the values ask for; these two had no pod.
[ "$left" = "$(printf 'persistentvolumeclaim/spool-waymark-links-svc-%s\n' 3 4)" ] || fail 'uninstall left something'
k delete persistentvolumeclaims --all > /dev/null

step 'deploy/rehearse.sh'
"$here/../rehearse.sh" waymark -f "$here/../rehearsal/values.yaml" 2>&1 || fail 'the rehearsal'
