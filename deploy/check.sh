#!/usr/bin/env bash
# Checks the Helm chart. Renders it with the defaults, with everything enabled and with optional parts disabled, and
# validates the results against Kubernetes' own schemas. Also checks that unknown values are rejected and that each
# service reads every variable that the chart sets.
#
# Needs `python3`, `helm` (go install helm.sh/helm/v3/cmd/helm@latest) and `kubernetes-validate` (pip). If a tool is
# missing, prints which one and exits with 0, or with 1 if CHART_TOOLS_REQUIRED is set.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Prefer the Node version that the workspace installs.
PATH="$PWD/node_modules/.bin:$PATH"
for tool in helm kubernetes-validate python3; do
  if ! command -v "$tool" > /dev/null; then
    echo "skipped: the check of the Helm chart needs $tool, which is not installed here"
    [ -z "${CHART_TOOLS_REQUIRED:-}" ]
    exit
  fi
done

chart=deploy/helm/waymark
kubernetes=1.34
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
render() { helm template waymark "$chart" --namespace waymark --kube-version "$kubernetes.0" "$@"; }

helm lint --quiet "$chart"
render > "$out/defaults.yaml"
render -f deploy/helm/values-everything.yaml > "$out/everything.yaml"
render --set services.links-svc.spool.persistent=false,networkPolicy.enabled=false,metrics.enabled=false,migration.enabled=false \
  --set clickhouse.passwordSecret= > "$out/little.yaml"

for name in defaults everything little; do
  # Kubernetes has no schemas for custom resources, so those are skipped. Everything else must pass.
  kubernetes-validate --kubernetes-version "$kubernetes" --strict --no-warn "$out/$name.yaml" > "$out/$name.txt" 2>&1 || {
    grep -v ' passed for ' "$out/$name.txt" || true
    echo "the chart rendered with $name does not pass Kubernetes' schemas" >&2
    exit 1
  }
  echo "$name: $(grep -c ' passed for ' "$out/$name.txt") resources pass Kubernetes' schemas"
done

# values.schema.json must reject unknown or invalid values.
for wrong in replicas=3 services.gateway.replica=3 logLevel=loud clickhouse.retentionDays=30 httpRoute.enabled=true; do
  if render --set "$wrong" > /dev/null 2>&1; then
    echo "values.schema.json lets $wrong pass" >&2
    exit 1
  fi
done

# kubernetes-validate installs a YAML parser, either for python3 or in its own environment (pipx).
python=python3
python3 -c 'import yaml' 2> /dev/null || python=$(sed -n '1s/^#!//p' "$(command -v kubernetes-validate)")
$python - "$out/defaults.yaml" "$out/everything.yaml" > "$out/workloads.json" << 'PYTHON'
import json, sys, yaml
documents = [one for path in sys.argv[1:] for one in yaml.safe_load_all(open(path)) if one]
print(json.dumps([one for one in documents if one["kind"] in ("Deployment", "StatefulSet", "Job")]))
PYTHON
node --conditions=@waymark/source scripts/chart-environment.ts "$out/workloads.json"
