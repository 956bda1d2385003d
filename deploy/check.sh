#!/usr/bin/env bash
# Checks the Helm chart. Renders it with the defaults, with everything enabled, with optional parts disabled, with each
# example and with FUZZ_RENDERINGS (60) random sets of values, and validates the results against Kubernetes' own schemas,
# of the oldest version that the chart allows and of a new one. Also checks that wrong values are refused, that Jobs
# have the settings of their services, and that each service reads every variable that the chart sets.
#
# Needs `python3`, `helm` (go install helm.sh/helm/v3/cmd/helm@latest) and `kubernetes-validate` (pip). If a tool is
# missing, prints which one and exits with 0, or with 1 if CHART_TOOLS_REQUIRED is set.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Prefer the Node version that the workspace installs.
PATH="$PWD/node_modules/.bin:$PATH"
# node_modules/.bin/node runs scripts of the workspace.
for tool in helm kubernetes-validate python3 "$PWD/node_modules/.bin/node"; do
  if ! command -v "$tool" > /dev/null; then
    echo "skipped: the check of the Helm chart needs $tool, which is not installed here"
    [ -z "${CHART_TOOLS_REQUIRED:-}" ]
    exit
  fi
done

chart=deploy/helm/waymark
kubernetes=1.34
# Custom kinds that a cluster may have. The chart refuses to use one that is missing.
operators=(--api-versions monitoring.coreos.com/v1 --api-versions gateway.networking.k8s.io/v1 --api-versions keda.sh/v1alpha1)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
render() { helm template waymark "$chart" --namespace waymark --kube-version "$kubernetes.0" "$@"; }

helm lint --quiet "$chart"
render > "$out/defaults.yaml"
render "${operators[@]}" -f deploy/helm/values-everything.yaml > "$out/everything.yaml"
render "${operators[@]}" -f deploy/helm/values-everything.yaml | cmp - "$out/everything.yaml" ||
  { echo 'two renderings differ, which GitOps tools would apply again and again' >&2; exit 1; }
render --set services.links-svc.spool.persistent=false,networkPolicy.enabled=false,metrics.enabled=false,migration.enabled=false \
  --set clickhouse.passwordSecret= > "$out/little.yaml"
render "${operators[@]}" -f deploy/helm/values-everything.yaml --set nameOverride=go,fullnameOverride=short > "$out/named.yaml"
render "${operators[@]}" -f deploy/helm/values-largest.yaml > "$out/largest.yaml"
# Otherwise a Secret named 123 is a number. Names that begin with the chart's own are text already.
if grep -nE '(: |- |\[|, )\{\{ [^}]*\}\}' "$chart"/templates/*.{tpl,yaml} "$chart"/templates/tests/*.yaml |
  grep -vE '\{\{ [^}]*(quote|int64|toJson) \}\}|\{\{ (\$full|\$fullname|\$runbooks|include "waymark.fullname" (\.|\$)) \}\}(-|docs/)' >&2; then
  echo 'each value in a template must end with quote, int64 or toJson' >&2
  exit 1
fi
if grep -nE '[0-9]e\+[0-9]' "$out/largest.yaml" >&2; then echo 'a number is rendered with an exponent' >&2; exit 1; fi
render -f deploy/helm/values-other.yaml > "$out/other.yaml"
renders=(defaults everything little named largest other)
for values in deploy/helm/examples/*.yaml deploy/rehearsal/values.yaml; do
  name=$(basename "$(dirname "$values")")-$(basename "$values" .yaml)
  render "${operators[@]}" -f "$values" > "$out/$name.yaml"
  renders+=("$name")
done

# kubernetes-validate may have its own environment (pipx), in which the schemas and a YAML parser are.
python=python3
python3 -c 'import kubernetes_validate, yaml' 2> /dev/null || python=$(sed -n '1s/^#!//p' "$(command -v kubernetes-validate)")
export PYTHONDONTWRITEBYTECODE=1
(cd "$out" && "$python" "$OLDPWD/deploy/helm/check_objects.py" "${renders[@]/%/.yaml}") ||
  { echo "the rendered chart does not pass Kubernetes' schemas" >&2; exit 1; }

# Values that must be refused, and a part of the message that says why.
while IFS='|' read -r values message; do
  # A file, because --set keeps whole numbers and a file makes them decimals.
  echo "$values" > "$out/values.yaml"
  if render -f "$out/values.yaml" > /dev/null 2> "$out/refused.txt"; then
    echo "the chart accepts $values" >&2
    exit 1
  fi
  grep -qF -- "$message" "$out/refused.txt" || {
    echo "the chart refuses $values, but does not say: $message" >&2
    cat "$out/refused.txt" >&2
    exit 1
  }
done < deploy/helm/refused-values.txt
echo "$(wc -l < deploy/helm/refused-values.txt) wrong values are refused with a message that says why"

# A field that an older Kubernetes does not have is refused there.
for case in '1.30.14 PreferClose refused' '1.31.0 PreferClose accepted' '1.33.9 PreferSameNode refused'; do
  read -r version value outcome <<< "$case"
  found=accepted
  render --kube-version "$version" --set "service.trafficDistribution=$value" > /dev/null 2> "$out/refused.txt" || found=refused
  [ "$found" = "$outcome" ] && { [ "$found" = accepted ] || grep -q 'service.trafficDistribution .* needs Kubernetes' "$out/refused.txt"; } ||
    { echo "service.trafficDistribution=$value is $found on Kubernetes $version" >&2; cat "$out/refused.txt" >&2; exit 1; }
done

# The notes of an installation, which `helm template` does not show, as the data of a ConfigMap. They end with commands that
# create the first account.
cp -r "$chart" "$out/noted"
{
  echo '{{- define "notes" }}'
  cat "$chart/templates/NOTES.txt"
  echo '{{- end }}'
  printf 'kind: ConfigMap\napiVersion: v1\nmetadata: { name: notes }\ndata: { notes: {{ include "notes" . | quote }} }\n'
} > "$out/noted/templates/notes.yaml"
for tls in '' grpc; do
  helm template waymark "$out/noted" --namespace waymark --kube-version "$kubernetes.0" --set "tls.secret=$tls" \
    --show-only templates/notes.yaml | sed -n 's/^data: { notes: \(.*\) }$/\1/p' | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8"))' \
    | sed '1,/^Create the first account/d' > "$out/first-account$tls.sh"
  grep -q 'admin:[^ ]* account create' "$out/first-account$tls.sh" && bash -n "$out/first-account$tls.sh" ||
    { echo 'the notes do not end with the first account' >&2; cat "$out/first-account$tls.sh"; exit 1; }
done
grep -q GRPC_TLS_CERT_FILE "$out/first-accountgrpc.sh" || { echo 'the notes ignore tls.secret' >&2; exit 1; }

helm template waymark "$out/noted" --namespace waymark --kube-version "$kubernetes.0" --show-only templates/notes.yaml \
  --set publicUrl=http://go.example.com,ingress.enabled=true,ingress.apiHost=go.example.com,ingress.apiTlsSecret=tls |
  grep -q 'publicUrl begins with http' || { echo 'the notes accept http beside a certificate' >&2; exit 1; }

# The published chart: its images and its icon are those of the release.
scripts/package-chart.sh registry.example.com/waymark https://git.example.com/waymark "$out/package" > /dev/null
helm lint --quiet "$out"/package/*.tgz
helm show chart "$out"/package/*.tgz > "$out/chart.txt"
for line in 'icon: https://git.example.com/waymark/raw/v' 'maintainers:' 'artifacthub.io/license: MIT' 'artifacthub.io/images:'; do
  grep -qF -- "$line" "$out/chart.txt" || { echo "the published chart has no $line" >&2; exit 1; }
done
helm template waymark "$out"/package/*.tgz --kube-version "$kubernetes.0" | grep -q 'image: "registry.example.com/waymark/gateway:' ||
  { echo 'the published chart uses other images' >&2; exit 1; }

# One rule for versions: chart, services and CHANGELOG.md have the same.
version=$(node -p "require('./package.json').version")
for line in "version: $version" "appVersion: $version"; do
  grep -qx "$line" "$chart/Chart.yaml" || { echo "Chart.yaml must have the line $line, as package.json does" >&2; exit 1; }
done
for package in apps/*/package.json packages/*/package.json e2e/package.json bench/package.json; do
  [ "$(node -p "require('./$package').version ?? '$version'")" = "$version" ] || { echo "$package must have the version $version" >&2; exit 1; }
done
grep -q "^## $version\b" CHANGELOG.md || { echo "CHANGELOG.md has no section $version" >&2; exit 1; }

$python - "$out/defaults.yaml" "$out/everything.yaml" > "$out/workloads.json" << 'PYTHON'
import json, re, sys, yaml
documents = [one for path in sys.argv[1:] for one in yaml.safe_load_all(open(path)) if one]
print(json.dumps([one for one in documents if one["kind"] in ("Deployment", "StatefulSet", "Job")]))

# Jobs and the pod of `helm test`, with everything enabled: the settings of the service's pods, a deadline before Helm's
# (5 minutes), and nothing that stays behind.
problems = []
for one in documents:
    annotations = one["metadata"].get("annotations", {})
    name = f'{one["kind"]} {one["metadata"]["name"]}'
    if "helm.sh/hook" in annotations:
        policies = annotations.get("helm.sh/hook-delete-policy", "").split(",")
        if sorted(policies) != ["before-hook-creation", "hook-failed", "hook-succeeded"]:
            problems.append(f"{name} stays behind")
    if one["kind"] not in ("Job", "Pod"):
        continue
    pod = one if one["kind"] == "Pod" else one["spec"]["template"]
    if one["spec"].get("activeDeadlineSeconds", 300) >= 300:
        problems.append(f"{name} has no deadline before Helm's")
    if "priorityClassName" not in pod["spec"]:
        continue  # rendered with the defaults
    for setting in ("nodeSelector", "tolerations", "affinity"):
        if setting not in pod["spec"]:
            problems.append(f"{name} has no {setting}")
    for annotation in ("sidecar.istio.io/inject", "example.com/team"):
        if annotation not in pod["metadata"].get("annotations", {}):
            problems.append(f"{name} has no annotation {annotation}")
jobs = [one for one in documents if one["kind"] in ("Job", "Pod") and "priorityClassName" in str(one)]
if len(jobs) != 7:
    problems.append(f"{len(jobs)} Jobs and test pods with all settings instead of 7")

# Visitors reach links-svc through any ingress, no rule opens every port, and the ports of URLs are open.
policies = {one["metadata"]["name"]: one["spec"] for one in documents if one["kind"] == "NetworkPolicy"}
for spec in policies.values():
    for rule in spec.get("ingress", []) + spec.get("egress", []):
        if not rule.get("ports"):
            problems.append("a NetworkPolicy has a rule without ports")
if not any(port["port"] == "http" for rule in policies["waymark-links-svc"]["ingress"][:1] for port in rule["ports"]):
    problems.append("no client may reach links-svc")
ports = {port["port"] for rule in policies["waymark-analytics-svc"]["egress"] for port in rule["ports"]}
for port in (9000, 443):  # of clickhouse.url and tracing.endpoint, which are in no list of ports
    if port not in ports:
        problems.append(f"analytics-svc may not reach port {port}")

# Services listen on both families unless HOST says otherwise, so the chart sets none, and trusts proxies of both.
for one in documents:
    for container in one.get("spec", {}).get("template", {}).get("spec", {}).get("containers", []):
        for variable in container.get("env", []):
            if variable["name"] in ("HOST", "GATEWAY_HOST"):
                problems.append(f'{one["metadata"]["name"]} listens on {variable["value"]} only')
            if variable["name"] == "TRUST_PROXY" and not ("." in variable["value"] and ":" in variable["value"]):
                problems.append(f'{one["metadata"]["name"]} trusts proxies of one family: {variable["value"]}')

# Every selector of an alert names the namespace, and every alert says where it is explained.
rules = [rule for one in documents if one["kind"] == "PrometheusRule" for group in one["spec"]["groups"] for rule in group["rules"]]
for rule in rules:
    metrics = re.findall(r"\b(?:api|clicks?|clickhouse|grpc|http|kube_persistentvolumeclaim|mcp|mongodb|nodejs|process)_\w+", rule["expr"])
    if not metrics or rule["expr"].count('{namespace="waymark"') != len(metrics):
        problems.append(f'{rule["alert"]} has a selector without the namespace')
    if rule["labels"].get("namespace") != "waymark":
        problems.append(f'{rule["alert"]} has no label namespace')
    if not rule["annotations"]["runbook_url"].startswith("https://example.com/waymark/v0.1.0/docs/"):
        problems.append(f'{rule["alert"]} has no runbook_url')
if len(rules) < 15:
    problems.append(f"{len(rules)} alerts instead of all")
for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
PYTHON

# Values that people use reach the objects.
$python - "$out/everything.yaml" "$out/other.yaml" << 'PYTHON'
import sys, yaml
everything, other = ({f'{one["kind"]}/{one["metadata"]["name"].removeprefix("waymark-")}': one for one in yaml.safe_load_all(open(path)) if one} for path in sys.argv[1:])
def at(objects, name, path):
    value = objects[name]
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value.get(key) if value else None
    return value
pod = "spec.template.spec"
expected = [
    (everything, "Deployment/gateway", "metadata.annotations", {"reloader.stakater.com/auto": "true"}),
    (everything, "StatefulSet/links-svc", "metadata.annotations", {"reloader.stakater.com/auto": "true"}),
    (everything, "StatefulSet/links-svc", "spec.volumeClaimTemplates.0.spec.resources.requests.storage", "20G"),
    (everything, "Deployment/gateway", f"{pod}.priorityClassName", "production"),
    (everything, "Deployment/mcp-svc", f"{pod}.priorityClassName", "normal"),
    (everything, "Deployment/mcp-svc", f"{pod}.nodeSelector", {"kubernetes.io/os": "linux"}),
    (everything, "Deployment/mcp-svc", f"{pod}.tolerations", [{"key": "shared", "operator": "Exists"}]),
    (everything, "Job/links-svc-migration", f"{pod}.runtimeClassName", "gvisor"),
    (everything, "Deployment/gateway", f"{pod}.hostAliases.0.ip", "10.1.2.3"),
    (everything, "Deployment/gateway", f"{pod}.dnsConfig.options.0.name", "ndots"),
    (everything, "Deployment/gateway", f"{pod}.containers.1.name", "auth-proxy"),
    (everything, "Deployment/gateway", f"{pod}.containers.0.startupProbe.failureThreshold", 120),
    (everything, "HorizontalPodAutoscaler/gateway", "spec.metrics.0.resource.target.averageUtilization", 150),
    (everything, "Service/links-svc", "metadata.annotations", {"example.com/owner": "links", "example.com/backend-timeout": "30"}),
    (everything, "Service/gateway", "metadata.annotations", {"example.com/owner": "links"}),
    (everything, "Ingress/api", "metadata.labels.example.com/zone", "public"),
    (everything, "Ingress/short", "spec.rules.1.host", "s.example.com"),
    (everything, "Ingress/short", "spec.tls.0.hosts", ["go.example.com", "s.example.com"]),
    (everything, "HTTPRoute/short", "spec.hostnames", ["go.example.com", "s.example.com"]),
    (everything, "ServiceMonitor/gateway", "metadata.namespace", "monitoring"),
    (everything, "ServiceMonitor/gateway", "spec.namespaceSelector", {"matchNames": ["waymark"]}),
    (everything, "ServiceMonitor/gateway", "spec.endpoints.0.interval", "1m30s"),
    (everything, "ServiceMonitor/gateway", "spec.endpoints.0.relabelings.0.action", "labeldrop"),
    (other, "Service/gateway", "spec.type", "LoadBalancer"),
    (other, "Service/gateway", "spec.ports", [{"name": "http", "port": 8080, "targetPort": "http"}]),
    (other, "Service/gateway-metrics", "spec.ports.0.name", "metrics"),
    (other, "StatefulSet/links-svc", "spec.replicas", 0),
    (other, "StatefulSet/links-svc", "spec.volumeClaimTemplates.0.spec.storageClassName", ""),
    (other, "StatefulSet/links-svc", "spec.volumeClaimTemplates.0.spec.resources.requests.storage", "20000000000"),
]
problems = []
for objects, name, path, value in expected:
    # A label's name has dots.
    found = objects[name]["metadata"]["labels"]["example.com/zone"] if path.endswith("/zone") else at(objects, name, path)
    if found != value:
        problems.append(f"{path} of {name} is {found} instead of {value}")
for name, one in [*everything.items(), *other.items()]:
    if one["metadata"].get("namespace") != ("monitoring" if name.startswith("ServiceMonitor/") else "waymark") and name != "ConfigMap/extra":
        problems.append(f"{name} names no namespace")
    for container in one.get("spec", {}).get("template", {}).get("spec", {}).get("containers", []):
        problems += [f'{name} sets {variable["name"]} to nothing' for variable in container.get("env", []) if variable.get("value") == ""]
    for claim in one.get("spec", {}).get("volumeClaimTemplates", []):
        if (claim.get("apiVersion"), claim.get("kind")) != ("v1", "PersistentVolumeClaim"):
            problems.append(f"a claim template of {name} has no apiVersion and kind")
print("\n".join(problems), end="", file=sys.stderr)
sys.exit(1 if problems else 0)
PYTHON

# Each URL that users get is routed to the service that answers it: those of the API to the gateway, short URLs to links-svc.
$python - "${renders[@]/#/$out/}" << 'PYTHON'
import sys, yaml
from urllib.parse import urlsplit
problems, checked = [], 0
for name in sys.argv[1:]:
    documents = [one for one in yaml.safe_load_all(open(f"{name}.yaml")) if one]
    gateway = next(one for one in documents if one["kind"] == "Deployment" and one["metadata"]["name"].endswith("-gateway"))
    env = {one["name"]: one.get("value") for one in gateway["spec"]["template"]["spec"]["containers"][0]["env"]}
    api = env.get("API_URL", env["PUBLIC_URL"])
    printed = {f"{api}{path}": "gateway" for path in ("/app/#token=x", "/api/v1/links", "/docs", "/openapi.json", "/mcp")}
    printed[env["PUBLIC_URL"] + "/sale"] = "links-svc"
    routes = {}  # by kind: host, path, whether the match is exact, service
    for one in documents:
        if one["kind"] == "Ingress":
            routes.setdefault("Ingress", []).extend(
                (rule["host"], path["path"], path["pathType"] == "Exact", path["backend"]["service"]["name"])
                for rule in one["spec"]["rules"] for path in rule["http"]["paths"])
        if one["kind"] == "HTTPRoute":
            routes.setdefault("HTTPRoute", []).extend(
                (host, match["path"]["value"], match["path"]["type"] == "Exact", rule["backendRefs"][0]["name"])
                for host in one["spec"]["hostnames"] for rule in one["spec"]["rules"]
                for match in rule.get("matches", [{"path": {"type": "PathPrefix", "value": "/"}}]))
    for kind, rules in routes.items():
        for url, service in printed.items():
            wanted = urlsplit(url)
            matches = [(exact, len(path), to) for host, path, exact, to in rules if host == wanted.hostname and
                       (wanted.path == path or not exact and (wanted.path + "/").startswith(path.rstrip("/") + "/"))]
            checked += 1
            if not matches or not max(matches)[2].endswith(f"-{service}"):
                problems.append(f"{name}: the {kind} does not send {url} to {service}")
if checked < 12:
    problems.append(f"{checked} routed URLs, which are too few")
print("\n".join(problems) if problems else f"{checked} printed URLs are routed to the service that answers them",
      file=sys.stderr if problems else sys.stdout)
sys.exit(1 if problems else 0)
PYTHON

# Overridden names, and common labels.
$python - "$out/named.yaml" << 'PYTHON'
import sys, yaml
problems = []
for one in (one for one in yaml.safe_load_all(open(sys.argv[1])) if one):
    name = f'{one["kind"]} {one["metadata"]["name"]}'
    if one["metadata"]["name"] == "waymark-extra":
        continue  # of extraObjects
    if not one["metadata"]["name"].startswith(("short", "drain-")):
        problems.append(f"{name} ignores fullnameOverride")
    for metadata in [one["metadata"]] + ([one["spec"]["template"]["metadata"]] if "template" in one.get("spec", {}) else []):
        if metadata["labels"].get("example.com/cost-center") != "links" or metadata["labels"]["app.kubernetes.io/name"] != "go":
            problems.append(f"{name} has no common labels, or ignores nameOverride")
print("\n".join(problems), end="", file=sys.stderr)
sys.exit(1 if problems else 0)
PYTHON
node --conditions=@waymark/source scripts/chart-environment.ts "$out/workloads.json"
"$python" deploy/helm/fuzz_values.py "${FUZZ_RENDERINGS:-60}"
