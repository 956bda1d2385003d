{{/* Environment of one service, read by its src/config.ts. Secrets are mounted as files. */}}
{{- define "waymark.env" -}}
{{- $v := .root.Values }}
{{- $full := include "waymark.fullname" .root }}
{{- $links := dict "name" "LINKS_GRPC" "value" (printf "dns:///%s-links-svc-grpc:50051" $full) }}
{{- $analytics := dict "name" "ANALYTICS_GRPC" "value" (printf "dns:///%s-analytics-svc-grpc:50051" $full) }}
{{- $trust := dict "name" "TRUST_PROXY" "value" (join "," $v.trustProxy) }}
{{- $env := list
  (dict "name" "LOG_LEVEL" "value" $v.logLevel)
  (dict "name" "SIGNING_KEY_FILE" "value" "/run/secrets/waymark/signing-key")
  (dict "name" "METRICS_PORT" "value" (ternary ($v.metrics.port | toString) "0" $v.metrics.enabled))
  (dict "name" "SHUTDOWN_DELAY_MS" "value" (mul $v.shutdown.delaySeconds 1000 | toString))
  (dict "name" "SHUTDOWN_TIMEOUT_MS" "value" (mul $v.shutdown.timeoutSeconds 1000 | toString)) }}
{{- if ne .name "mcp-svc" }}
{{- $env = append $env (dict "name" "PUBLIC_URL" "value" $v.publicUrl) }}
{{- end }}
{{- if $v.signingKey.previousKey }}
{{- $env = append $env (dict "name" "SIGNING_KEY_PREVIOUS_FILE" "value" "/run/secrets/waymark/signing-key-previous") }}
{{- end }}
{{- if $v.tracing.endpoint }}
{{- $env = append $env (dict "name" "OTEL_EXPORTER_OTLP_ENDPOINT" "value" $v.tracing.endpoint) }}
{{- end }}
{{- if and $v.redis.secret (has .name (list "gateway" "links-svc")) }}
{{- $env = append $env (dict "name" "REDIS_URL_FILE" "value" "/run/secrets/redis/url") }}
{{- end }}
{{- if $v.tls.secret }}
{{- $env = concat $env (list
  (dict "name" "GRPC_TLS_CA_FILE" "value" "/run/secrets/grpc-tls/ca.crt")
  (dict "name" "GRPC_TLS_CERT_FILE" "value" "/run/secrets/grpc-tls/tls.crt")
  (dict "name" "GRPC_TLS_KEY_FILE" "value" "/run/secrets/grpc-tls/tls.key")) }}
{{- if has .name (list "links-svc" "analytics-svc") }}
{{- $env = append $env (dict "name" "GRPC_TLS_CLIENT_CERTIFICATES" "value" ($v.tls.clientCertificates | toString)) }}
{{- end }}
{{- end }}
{{- if eq .name "gateway" }}
{{- $env = concat $env (list
  (dict "name" "GATEWAY_PORT" "value" "8080")
  (dict "name" "LINKS_URL" "value" (printf "http://%s-links-svc:3000" $full))
  (dict "name" "ANALYTICS_URL" "value" (printf "http://%s-analytics-svc:3000" $full))
  (dict "name" "MCP_URL" "value" (printf "http://%s-mcp-svc:3000" $full))
  $links $trust
  (dict "name" "MCP_ALLOWED_ORIGINS" "value" (join "," $v.mcpAllowedOrigins))
  (dict "name" "RATE_LIMIT_PER_MINUTE" "value" ($v.limits.requestsPerMinute | toString))
  (dict "name" "AUTH_FAILURES_PER_MINUTE" "value" ($v.limits.authFailuresPerMinute | toString))) }}
{{- else if eq .name "links-svc" }}
{{- $env = concat $env (list
  (dict "name" "MONGODB_URL_FILE" "value" "/run/secrets/mongodb/url")
  (dict "name" "MONGODB_DATABASE" "value" $v.mongodb.database)
  $analytics $trust
  (dict "name" "SPOOL_DIR" "value" "/var/lib/waymark/spool/clicks")
  (dict "name" "SPOOL_MAX_BYTES" "value" (index $v.services "links-svc" "spool" "maxBytes" | int64 | toString))
  (dict "name" "UNKNOWN_HOSTS" "value" $v.unknownHosts)
  (dict "name" "PASSWORD_TRIES_PER_MINUTE" "value" ($v.limits.passwordTriesPerMinute | toString))) }}
{{- else if eq .name "analytics-svc" }}
{{- $env = concat $env (list
  (dict "name" "CLICKHOUSE_URL" "value" $v.clickhouse.url)
  (dict "name" "CLICKHOUSE_USER" "value" $v.clickhouse.user)
  (dict "name" "CLICKHOUSE_DATABASE" "value" $v.clickhouse.database)
  $links) }}
{{- if $v.clickhouse.passwordSecret }}
{{- $env = append $env (dict "name" "CLICKHOUSE_PASSWORD_FILE" "value" "/run/secrets/clickhouse/password") }}
{{- end }}
{{- if $v.clickhouse.retentionDays }}
{{- $env = append $env (dict "name" "CLICK_RETENTION_DAYS" "value" ($v.clickhouse.retentionDays | toString)) }}
{{- end }}
{{- else }}
{{- $env = concat $env (list $links $analytics) }}
{{- end }}
{{- toYaml (concat $env (index $v.services .name "env")) }}
{{- end }}

{{/* Volume mounts for the secrets of one service. */}}
{{- define "waymark.secretMounts" -}}
- { name: signing-key, mountPath: /run/secrets/waymark, readOnly: true }
{{- if .root.Values.tls.secret }}
- { name: grpc-tls, mountPath: /run/secrets/grpc-tls, readOnly: true }
{{- end }}
{{- if and .root.Values.redis.secret (has .name (list "gateway" "links-svc")) }}
- { name: redis, mountPath: /run/secrets/redis, readOnly: true }
{{- end }}
{{- if eq .name "links-svc" }}
- { name: mongodb, mountPath: /run/secrets/mongodb, readOnly: true }
{{- end }}
{{- if and (eq .name "analytics-svc") .root.Values.clickhouse.passwordSecret }}
- { name: clickhouse, mountPath: /run/secrets/clickhouse, readOnly: true }
{{- end }}
{{- end }}

{{- define "waymark.secretVolumes" -}}
{{- $v := .root.Values }}
- name: signing-key
  secret:
    secretName: {{ $v.signingKey.secret }}
    defaultMode: 0440
    items:
      - { key: {{ $v.signingKey.key }}, path: signing-key }
      {{- if $v.signingKey.previousKey }}
      - { key: {{ $v.signingKey.previousKey }}, path: signing-key-previous }
      {{- end }}
{{- if $v.tls.secret }}
- name: grpc-tls
  secret: { secretName: {{ $v.tls.secret }}, defaultMode: 0440 }
{{- end }}
{{- if and $v.redis.secret (has .name (list "gateway" "links-svc")) }}
- name: redis
  secret:
    secretName: {{ $v.redis.secret }}
    defaultMode: 0440
    items: [{ key: {{ $v.redis.key }}, path: url }]
{{- end }}
{{- if eq .name "links-svc" }}
- name: mongodb
  secret:
    secretName: {{ $v.mongodb.secret }}
    defaultMode: 0440
    items: [{ key: {{ $v.mongodb.key }}, path: url }]
{{- end }}
{{- if and (eq .name "analytics-svc") $v.clickhouse.passwordSecret }}
- name: clickhouse
  secret:
    secretName: {{ $v.clickhouse.passwordSecret }}
    defaultMode: 0440
    items: [{ key: {{ $v.clickhouse.passwordKey }}, path: password }]
{{- end }}
{{- end }}
