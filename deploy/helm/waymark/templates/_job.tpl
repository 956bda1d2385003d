{{/* Annotations of a Job that Helm runs as a hook: Helm deletes it afterwards, and prints the log of one that failed. */}}
{{- define "waymark.jobHook" -}}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
helm.sh/hook-output-log-policy: hook-failed
{{- end }}

{{/* Takes the settings of a Job. Kubernetes deletes a Job that Helm could not delete because Helm itself ended. */}}
{{- define "waymark.jobSpec" -}}
backoffLimit: {{ .backoffLimit | int64 }}
activeDeadlineSeconds: {{ .activeDeadlineSeconds | int64 }}
ttlSecondsAfterFinished: 600
{{- end }}
