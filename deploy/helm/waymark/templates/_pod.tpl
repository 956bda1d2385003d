{{/*
Pods of services and Jobs are made here, so that all of them have the same settings. Each helper takes
  root       the root context
  name       the service whose settings hold: the service itself, or the one that the Job works for
  component  the label of the pod, for selectors
*/}}

{{/* Metadata of a pod. `jobs.podAnnotations` and `jobs.podLabels` are for Jobs, which have another component. */}}
{{- define "waymark.podMetadata" -}}
{{- $service := index .root.Values.services .name }}
{{- $jobs := ternary .root.Values.jobs dict (ne .component .name) -}}
labels:
  {{- $own := include "waymark.labels" (dict "root" .root "name" .component) | fromYaml }}
  {{- mergeOverwrite (dict) $service.podLabels ($jobs.podLabels | default dict) $own | toYaml | nindent 2 }}
{{- with mergeOverwrite (dict) $service.podAnnotations ($jobs.podAnnotations | default dict) }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* What every pod has. ServiceAccounts of the chart do not exist yet while a hook runs, so Jobs use `default` instead. */}}
{{- define "waymark.podSpec" -}}
{{- $service := index .root.Values.services .name }}
{{- $isJob := ne .component .name -}}
serviceAccountName: {{ ternary "default" (include "waymark.serviceAccount" .) (and $isJob $service.serviceAccount.create) | quote }}
automountServiceAccountToken: false
# Otherwise Kubernetes sets variables such as GATEWAY_PORT from the names of Services.
enableServiceLinks: false
securityContext: {{- toYaml .root.Values.podSecurityContext | nindent 2 }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $service.priorityClassName | default .root.Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .root.Values.runtimeClassName }}
runtimeClassName: {{ . | quote }}
{{- end }}
{{- with .root.Values.hostAliases }}
hostAliases: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.dnsConfig }}
dnsConfig: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $service.nodeSelector | default .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $service.tolerations | default .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $service.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* A container's image and security. `name` may also be `admin`. */}}
{{- define "waymark.container" -}}
image: {{ include "waymark.image" . | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy | quote }}
securityContext: {{- toYaml .root.Values.containerSecurityContext | nindent 2 }}
{{- end }}

{{/* `services.NAME.image`, or `admin.image`, before `image`. */}}
{{- define "waymark.image" -}}
{{- $v := .root.Values }}
{{- $own := eq .name "admin" | ternary $v.admin.image (index $v.services .name | default dict).image }}
{{- $repository := $own.repository | default (printf "%s/%s" $v.image.repository .name) }}
{{- if $own.digest }}{{ $repository }}@{{ $own.digest }}
{{- else }}{{ $repository }}:{{ $own.tag | default $v.image.tag | default .root.Chart.AppVersion }}{{ end }}
{{- end }}

{{/* Environment and volume mounts of a service's container, and of its migration. */}}
{{- define "waymark.containerInputs" -}}
{{- $service := index .root.Values.services .name -}}
env: {{- include "waymark.env" . | nindent 2 }}
{{- with $service.extraEnvFrom }}
envFrom: {{- toYaml . | nindent 2 }}
{{- end }}
volumeMounts:
  {{- include "waymark.secretMounts" . | nindent 2 }}
  {{- with $service.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "waymark.volumes" -}}
{{- include "waymark.secretVolumes" . }}
{{- with (index .root.Values.services .name).extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
