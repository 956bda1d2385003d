# Starts a Kubernetes API on loopback: etcd, kube-apiserver, the controllers, the scheduler with three nodes in two zones,
# and kubelet.mjs. Everything ends with the shell that sources this file, which then is in a temporary folder.
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
kubectl config --kubeconfig=kubeconfig set-context local --cluster=local --user=admin --namespace=waymark > /dev/null
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
