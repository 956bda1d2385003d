{{- define "waymark.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 39 | trimSuffix "-" }}
{{- end }}

{{/* At most 39 characters, so that names of pods and Jobs stay below 63. */}}
{{- define "waymark.fullname" -}}
{{- $name := include "waymark.name" . }}
{{- $default := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- .Values.fullnameOverride | default $default | trunc 39 | trimSuffix "-" }}
{{- end }}

{{/* Selector labels of one service. Takes { root, name }. */}}
{{- define "waymark.selector" -}}
app.kubernetes.io/name: {{ include "waymark.name" .root | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .name | quote }}
{{- end }}

{{/* Labels of everything in the chart. Takes { root, name }. */}}
{{- define "waymark.labels" -}}
{{- with omit .root.Values.commonLabels "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart" }}
{{- toYaml . }}
{{ end -}}
{{ include "waymark.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | quote }}
{{- end }}

{{/* Paths that the gateway serves. Every other path of the public host is a short link, which links-svc serves. */}}
{{- define "waymark.gatewayPaths" -}}
- { path: /, match: Exact }
- { path: /api, match: Prefix }
- { path: /mcp, match: Prefix }
- { path: /app, match: Prefix }
- { path: /docs, match: Prefix }
- { path: /openapi.json, match: Exact }
- { path: /.well-known, match: Prefix }
- { path: /register, match: Exact }
- { path: /token, match: Exact }
- { path: /authorize, match: Exact }
- { path: /livez, match: Exact }
- { path: /healthz, match: Exact }
- { path: /readyz, match: Exact }
- { path: /startupz, match: Exact }
{{- end }}

{{/* The hosts of `ingress` or `httpRoute`: those of the whole service, and those of short links only. */}}
{{- define "waymark.routeHosts" -}}
api: {{ list .apiHost | compact | toJson }}
short: {{ prepend .extraShortHosts .shortHost | compact | toJson }}
{{- end }}

{{/* The name of a service's ServiceAccount. Takes { root, name }. */}}
{{- define "waymark.serviceAccount" -}}
{{- $account := (index .root.Values.services .name).serviceAccount }}
{{- $account.name | default (ternary (printf "%s-%s" (include "waymark.fullname" .root) .name) "default" $account.create) }}
{{- end }}

{{/* A quantity as text: a number in a file of values is a decimal, which would be printed as 1e+10. */}}
{{- define "waymark.quantity" -}}
{{- kindIs "string" . | ternary . (int64 . | toString) }}
{{- end }}

{{/* Thousandths of a quantity such as 250m, 12Gi, 20G or 2, to compare two. */}}
{{- define "waymark.milli" -}}
{{- $factors := dict "" 1 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 }}
{{- if kindIs "string" . }}
{{- mulf (regexFind "^[0-9.]+" . | float64) 1000 (get $factors (regexFind "[A-Za-z]+$" .)) | printf "%.0f" }}
{{- else }}
{{- mulf . 1000 | printf "%.0f" }}
{{- end }}
{{- end }}

{{/* Bytes of a quantity. */}}
{{- define "waymark.bytes" -}}
{{- divf (include "waymark.milli" . | float64) 1000 | printf "%.0f" }}
{{- end }}
