{{/*
The variables that the chart sets in one service, read by its src/config.ts, as a YAML list of name, value and `of`: what
they come from. Secrets are mounted as files.
*/}}
{{- define "waymark.chartEnv" -}}
{{- $v := .root.Values }}
{{- $full := include "waymark.fullname" .root }}
{{- $links := dict "name" "LINKS_GRPC" "of" "the chart" "value" (printf "dns:///%s-links-svc-grpc:50051" $full) }}
{{- $analytics := dict "name" "ANALYTICS_GRPC" "of" "the chart" "value" (printf "dns:///%s-analytics-svc-grpc:50051" $full) }}
{{- $trust := dict "name" "TRUST_PROXY" "of" "the value trustProxy" "value" (join "," $v.trustProxy) }}
{{- $env := list
  (dict "name" "LOG_LEVEL" "of" "the value logLevel" "value" $v.logLevel)
  (dict "name" "SIGNING_KEY_FILE" "of" "the value signingKey.secret" "value" "/run/secrets/waymark/signing-key")
  (dict "name" "METRICS_PORT" "of" "the value metrics.port" "value" (ternary ($v.metrics.port | int64 | toString) "0" $v.metrics.enabled))
  (dict "name" "SHUTDOWN_DELAY_MS" "of" "the value shutdown.delaySeconds" "value" (mul $v.shutdown.delaySeconds 1000 | toString))
  (dict "name" "SHUTDOWN_TIMEOUT_MS" "of" "the value shutdown.timeoutSeconds" "value" (mul $v.shutdown.timeoutSeconds 1000 | toString)) }}
{{- if ne .name "mcp-svc" }}
{{- $env = append $env (dict "name" "PUBLIC_URL" "of" "the value publicUrl" "value" $v.publicUrl) }}
{{- with $v.apiUrl }}
{{- $env = append $env (dict "name" "API_URL" "of" "the value apiUrl" "value" .) }}
{{- end }}
{{- end }}
{{- if $v.signingKey.previousKey }}
{{- $env = append $env (dict "name" "SIGNING_KEY_PREVIOUS_FILE" "of" "the value signingKey.previousKey" "value" "/run/secrets/waymark/signing-key-previous") }}
{{- end }}
{{- if $v.tracing.endpoint }}
{{- $env = append $env (dict "name" "OTEL_EXPORTER_OTLP_ENDPOINT" "of" "the value tracing.endpoint" "value" $v.tracing.endpoint) }}
{{- end }}
{{- if and $v.redis.secret (has .name (list "gateway" "links-svc")) }}
{{- $env = append $env (dict "name" "REDIS_URL_FILE" "of" "the value redis.secret" "value" "/run/secrets/redis/url") }}
{{- end }}
{{- if has .name (list "gateway" "links-svc") }}
{{- range $key, $name := dict "name" "BRAND_NAME" "color" "BRAND_COLOR" "text" "BRAND_TEXT" "link" "BRAND_LINK" "linkText" "BRAND_LINK_TEXT" }}
{{- with index $v.brand $key }}
{{- $env = append $env (dict "name" $name "of" (printf "the value brand.%s" $key) "value" .) }}
{{- end }}
{{- end }}
{{- with $v.brand.logo }}
{{- $env = append $env (dict "name" "BRAND_LOGO" "of" "the value brand.logo" "value" (printf "/etc/waymark/brand/%s" .)) }}
{{- end }}
{{- end }}
{{- if $v.tls.secret }}
{{- $env = concat $env (list
  (dict "name" "GRPC_TLS_CA_FILE" "of" "the value tls.secret" "value" "/run/secrets/grpc-tls/ca.crt")
  (dict "name" "GRPC_TLS_CERT_FILE" "of" "the value tls.secret" "value" "/run/secrets/grpc-tls/tls.crt")
  (dict "name" "GRPC_TLS_KEY_FILE" "of" "the value tls.secret" "value" "/run/secrets/grpc-tls/tls.key")) }}
{{- if has .name (list "links-svc" "analytics-svc") }}
{{- $env = append $env (dict "name" "GRPC_TLS_CLIENT_CERTIFICATES" "of" "the value tls.clientCertificates" "value" ($v.tls.clientCertificates | toString)) }}
{{- end }}
{{- end }}
{{- if eq .name "gateway" }}
{{- $env = concat $env (list
  (dict "name" "GATEWAY_PORT" "of" "the chart" "value" "8080")
  (dict "name" "LINKS_URL" "of" "the chart" "value" (printf "http://%s-links-svc:3000" $full))
  (dict "name" "ANALYTICS_URL" "of" "the chart" "value" (printf "http://%s-analytics-svc:3000" $full))
  (dict "name" "MCP_URL" "of" "the chart" "value" (printf "http://%s-mcp-svc:3000" $full))
  $links $trust
  (dict "name" "RATE_LIMIT_PER_MINUTE" "of" "the value limits.requestsPerMinute" "value" ($v.limits.requestsPerMinute | int64 | toString))
  (dict "name" "AUTH_FAILURES_PER_MINUTE" "of" "the value limits.authFailuresPerMinute" "value" ($v.limits.authFailuresPerMinute | int64 | toString))) }}
{{- /* Kubernetes does not store an empty value, so every client-side apply would send it again. */}}
{{- with $v.mcpAllowedOrigins }}
{{- $env = append $env (dict "name" "MCP_ALLOWED_ORIGINS" "of" "the value mcpAllowedOrigins" "value" (join "," .)) }}
{{- end }}
{{- if $v.oidc.issuer }}
{{- $env = concat $env (list
  (dict "name" "OIDC_ISSUER" "of" "the value oidc.issuer" "value" $v.oidc.issuer)
  (dict "name" "OIDC_CLIENT_ID" "of" "the value oidc.clientId" "value" $v.oidc.clientId)
  (dict "name" "OIDC_CLIENT_SECRET_FILE" "of" "the value oidc.secret" "value" "/run/secrets/oidc/client-secret")
  (dict "name" "OIDC_GROUPS_CLAIM" "of" "the value oidc.groupsClaim" "value" $v.oidc.groupsClaim)
  (dict "name" "OIDC_PLAN" "of" "the value oidc.plan" "value" $v.oidc.plan)) }}
{{- with $v.oidc.access }}
{{- $env = append $env (dict "name" "OIDC_ACCESS" "of" "the value oidc.access" "value" (join "," .)) }}
{{- end }}
{{- end }}
{{- else if eq .name "links-svc" }}
{{- $env = concat $env (list
  (dict "name" "MONGODB_URL_FILE" "of" "the value mongodb.secret" "value" "/run/secrets/mongodb/url")
  (dict "name" "MONGODB_DATABASE" "of" "the value mongodb.database" "value" $v.mongodb.database)
  $analytics $trust
  (dict "name" "SPOOL_DIR" "of" "the chart" "value" "/var/lib/waymark/spool/clicks")
  (dict "name" "SPOOL_MAX_BYTES" "of" "the value services.links-svc.spool.maxBytes" "value" (index $v.services "links-svc" "spool" "maxBytes" | int64 | toString))
  (dict "name" "EVENTS_DAYS" "of" "the value eventsDays" "value" ($v.eventsDays | int64 | toString))
  (dict "name" "UNKNOWN_HOSTS" "of" "the value unknownHosts" "value" $v.unknownHosts)
  (dict "name" "HEALTH_CHECK_HOURS" "of" "the value healthCheckHours" "value" ($v.healthCheckHours | int64 | toString))
  (dict "name" "PASSWORD_TRIES_PER_MINUTE" "of" "the value limits.passwordTriesPerMinute" "value" ($v.limits.passwordTriesPerMinute | int64 | toString))) }}
{{- if $v.brand.configMap }}
{{- $env = append $env (dict "name" "BRAND_DIR" "of" "the value brand.configMap" "value" "/etc/waymark/brand") }}
{{- end }}
{{- else if eq .name "analytics-svc" }}
{{- $env = concat $env (list
  (dict "name" "CLICKHOUSE_URL" "of" "the value clickhouse.url" "value" $v.clickhouse.url)
  (dict "name" "CLICKHOUSE_USER" "of" "the value clickhouse.user" "value" $v.clickhouse.user)
  (dict "name" "CLICKHOUSE_DATABASE" "of" "the value clickhouse.database" "value" $v.clickhouse.database)
  $links) }}
{{- if $v.clickhouse.passwordSecret }}
{{- $env = append $env (dict "name" "CLICKHOUSE_PASSWORD_FILE" "of" "the value clickhouse.passwordSecret" "value" "/run/secrets/clickhouse/password") }}
{{- end }}
{{- with $v.clickhouse.cluster }}
{{- $env = append $env (dict "name" "CLICKHOUSE_CLUSTER" "of" "the value clickhouse.cluster" "value" .) }}
{{- end }}
{{- if $v.clickhouse.retentionDays }}
{{- $env = append $env (dict "name" "CLICK_RETENTION_DAYS" "of" "the value clickhouse.retentionDays" "value" ($v.clickhouse.retentionDays | int64 | toString)) }}
{{- end }}
{{- else }}
{{- $env = concat $env (list $links $analytics) }}
{{- end }}
{{- toYaml $env }}
{{- end }}

{{/* Environment of one service: what the chart sets, then `env` of the service, whose names are others. */}}
{{- define "waymark.env" -}}
{{- $env := list }}
{{- range fromYamlArray (include "waymark.chartEnv" .) }}
{{- $env = append $env (omit . "of") }}
{{- end }}
{{- toYaml (concat $env (index .root.Values.services .name "env")) }}
{{- end }}

{{/* Volume mounts for the secrets of one service, and for its brand. */}}
{{- define "waymark.secretMounts" -}}
- { name: signing-key, mountPath: /run/secrets/waymark, readOnly: true }
{{- if .root.Values.tls.secret }}
- { name: grpc-tls, mountPath: /run/secrets/grpc-tls, readOnly: true }
{{- end }}
{{- if and .root.Values.redis.secret (has .name (list "gateway" "links-svc")) }}
- { name: redis, mountPath: /run/secrets/redis, readOnly: true }
{{- end }}
{{- if and .root.Values.oidc.issuer (eq .name "gateway") }}
- { name: oidc, mountPath: /run/secrets/oidc, readOnly: true }
{{- end }}
{{- if and .root.Values.brand.configMap (has .name (list "gateway" "links-svc")) }}
- { name: brand, mountPath: /etc/waymark/brand, readOnly: true }
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
    secretName: {{ $v.signingKey.secret | quote }}
    defaultMode: 0440
    items:
      - { key: {{ $v.signingKey.key | quote }}, path: signing-key }
      {{- if $v.signingKey.previousKey }}
      - { key: {{ $v.signingKey.previousKey | quote }}, path: signing-key-previous }
      {{- end }}
{{- if $v.tls.secret }}
- name: grpc-tls
  secret: { secretName: {{ $v.tls.secret | quote }}, defaultMode: 0440 }
{{- end }}
{{- if and $v.redis.secret (has .name (list "gateway" "links-svc")) }}
- name: redis
  secret:
    secretName: {{ $v.redis.secret | quote }}
    defaultMode: 0440
    items: [{ key: {{ $v.redis.key | quote }}, path: url }]
{{- end }}
{{- if and $v.oidc.issuer (eq .name "gateway") }}
- name: oidc
  secret:
    secretName: {{ $v.oidc.secret | quote }}
    defaultMode: 0440
    items: [{ key: {{ $v.oidc.key | quote }}, path: client-secret }]
{{- end }}
{{- if and $v.brand.configMap (has .name (list "gateway" "links-svc")) }}
- name: brand
  configMap: { name: {{ $v.brand.configMap | quote }} }
{{- end }}
{{- if eq .name "links-svc" }}
- name: mongodb
  secret:
    secretName: {{ $v.mongodb.secret | quote }}
    defaultMode: 0440
    items: [{ key: {{ $v.mongodb.key | quote }}, path: url }]
{{- end }}
{{- if and (eq .name "analytics-svc") $v.clickhouse.passwordSecret }}
- name: clickhouse
  secret:
    secretName: {{ $v.clickhouse.passwordSecret | quote }}
    defaultMode: 0440
    items: [{ key: {{ $v.clickhouse.passwordKey | quote }}, path: password }]
{{- end }}
{{- end }}
