# Applies what `admin host manifests` prints, as docs/hosts.md says, twice, and then without all hosts but one. check.sh
# sources it. Needs the packages of the workspace.
node=$here/../../node_modules/.bin/node
label=app.kubernetes.io/component=short-host
# manifests KIND HOST...
manifests() {
  "$node" --conditions=@waymark/source --input-type=module - "$@" <<EOF
import { manifests } from '$here/../../apps/admin/src/hosts/manifests.ts';
const [kind, ...hosts] = process.argv.slice(2);
const options = { issuer: 'letsencrypt', service: 'waymark-links-svc', gatewayService: 'waymark-gateway', gateway: 'public', gatewayNamespace: 'infra', ingressClass: 'nginx' };
process.stdout.write(manifests(hosts, { kind, ...options }));
EOF
}
# apply_hosts KIND: applies standard input.
apply_hosts() {
  local allowed=(--prune-allowlist=gateway.networking.k8s.io/v1/{ListenerSet,HTTPRoute})
  [ "$1" = gateway ] || allowed=(--prune-allowlist=networking.k8s.io/v1/Ingress)
  k apply --prune -l "$label" "${allowed[@]}" -f - > applied.txt 2>&1 || { cat applied.txt; fail 'apply'; }
  ! grep -i warning applied.txt || fail 'warnings of the API'
}
short_host_objects() { k get listenersets,httproutes,ingresses -l "$label" -o name; }

longest=$(printf '%063d.%063d.%063d.%056d.test' 0 0 0 0)
[ ${#longest} = 253 ] || fail 'the longest name'
if [ ! -x "$node" ]; then
  echo 'skipped: needs the packages of the workspace (pnpm install)'
else
  for kind in gateway ingress; do
    manifests "$kind" go.example.com 1.example.com xn--bcher-kva.example xn--p1ai.xn--p1ai "$longest" > hosts.yaml
    apply_hosts "$kind" < hosts.yaml
    apply_hosts "$kind" < hosts.yaml
    ! grep -v ' unchanged$' applied.txt || fail 'the second apply changed something'
    echo "$kind: $(wc -l < applied.txt) objects of 5 hosts, unchanged by a second apply"
    manifests "$kind" go.example.com | apply_hosts "$kind"
    short_host_objects > left.txt
    ! grep -v '/go.example.com$' left.txt || fail 'a removed host is still there'
    echo "$kind: only $(paste -sd ' ' left.txt) after the other hosts are gone"
    k delete listenersets,httproutes,ingresses -l "$label" > /dev/null
  done
fi
