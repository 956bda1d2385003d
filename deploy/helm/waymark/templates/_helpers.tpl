{{- define "waymark.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* At most 40 characters, so that names of pods and Jobs stay below 63. */}}
{{- define "waymark.fullname" -}}
{{- $name := include "waymark.name" . }}
{{- $default := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- .Values.fullnameOverride | default $default | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* Selector labels of one service. Takes { root, name }. */}}
{{- define "waymark.selector" -}}
app.kubernetes.io/name: {{ include "waymark.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{/* Labels of everything in the chart. Takes { root, name }. */}}
{{- define "waymark.labels" -}}
{{- with omit .root.Values.commonLabels "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart" }}
{{- toYaml . }}
{{ end -}}
{{ include "waymark.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
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

{{/* The name of a service's ServiceAccount. Takes { root, name }. */}}
{{- define "waymark.serviceAccount" -}}
{{- $account := (index .root.Values.services .name).serviceAccount }}
{{- $account.name | default (ternary (printf "%s-%s" (include "waymark.fullname" .root) .name) "default" $account.create) }}
{{- end }}

{{/* Bytes of a quantity such as 12Gi. */}}
{{- define "waymark.bytes" -}}
{{- $factors := dict "" 1 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 }}
{{- mulf (regexFind "^[0-9.]+" . | float64) (get $factors (regexFind "[A-Za-z]+$" .)) | floor | int64 }}
{{- end }}
