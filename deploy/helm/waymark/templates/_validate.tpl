{{/* Refuses combinations of values that cannot work, all at once. values.schema.json checks each value alone. */}}
{{- define "waymark.validate" -}}
{{- $v := .Values }}
{{- $problems := list }}
{{- /* A parent chart sets global values for its other charts. */}}
{{- if .Chart.IsRoot }}
{{- range $name, $_ := .Values.global }}
{{- $problems = append $problems (printf "global.%s: this chart reads no global values: use image, nodeSelector, tolerations or priorityClassName" $name) }}
{{- end }}
{{- end }}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" (include "waymark.fullname" .)) }}
{{- $problems = append $problems (printf "the name %s is not valid for a Service: set fullnameOverride to lower-case letters, digits and -, beginning with a letter" (include "waymark.fullname" .)) }}
{{- end }}
{{- if and (gt (len $v.service.ipFamilies) 1) (not (hasSuffix "DualStack" $v.service.ipFamilyPolicy)) }}
{{- $problems = append $problems "service.ipFamilies has two families: set service.ipFamilyPolicy to PreferDualStack or RequireDualStack" }}
{{- end }}
{{- /* An older API forgets the field, or refuses the value only after the migrations. */}}
{{- with $v.service.trafficDistribution }}
{{- $needed := eq . "PreferClose" | ternary "1.31" "1.34" }}
{{- if semverCompare (printf "<%s.0-0" $needed) $.Capabilities.KubeVersion.Version }}
{{- $problems = append $problems (printf "service.trafficDistribution (%s) needs Kubernetes %s: this cluster has %s" . $needed $.Capabilities.KubeVersion.Version) }}
{{- end }}
{{- end }}
{{- $accounts := dict }}
{{- $sized := dict "jobs" $v.jobs.resources }}
{{- range $name, $service := $v.services }}
{{- /* Kubernetes keeps one entry of a name, and loses both when one is removed. X and X_FILE are one setting. */}}
{{- $set := dict }}
{{- range fromYamlArray (include "waymark.chartEnv" (dict "root" $ "name" $name)) }}
{{- $_ := set $set (trimSuffix "_FILE" .name) .of }}
{{- end }}
{{- range $variable := $service.env }}
{{- $key := trimSuffix "_FILE" $variable.name }}
{{- with get $set $key }}
{{- $problems = append $problems (printf "services.%s.env sets %s, which %s sets: remove it from env" $name $variable.name .) }}
{{- end }}
{{- $_ := set $set $key "another entry of env" }}
{{- end }}
{{- $of := dict "root" $ "name" $name "component" $name }}
{{- $volumes := eq $name "links-svc" | ternary (list "spool") list }}
{{- range include "waymark.volumes" $of | fromYamlArray }}
{{- if has .name $volumes }}
{{- $problems = append $problems (printf "services.%s.extraVolumes has a second volume %s: give it another name" $name .name) }}
{{- end }}
{{- $volumes = append $volumes .name }}
{{- end }}
{{- $paths := eq $name "links-svc" | ternary (list "/var/lib/waymark/spool") list }}
{{- range (include "waymark.containerInputs" $of | fromYaml).volumeMounts }}
{{- if not (has .name $volumes) }}
{{- $problems = append $problems (printf "services.%s.extraVolumeMounts mounts %s, which is no volume: add it to extraVolumes" $name .name) }}
{{- end }}
{{- if has .mountPath $paths }}
{{- $problems = append $problems (printf "services.%s.extraVolumeMounts has a second mount at %s" $name .mountPath) }}
{{- end }}
{{- $paths = append $paths .mountPath }}
{{- end }}
{{- $containers := list $name "migrate" }}
{{- range concat $service.initContainers $service.extraContainers }}
{{- if has .name $containers }}
{{- $problems = append $problems (printf "services.%s.extraContainers or initContainers have a second container %s: give it another name" $name .name) }}
{{- end }}
{{- $containers = append $containers .name }}
{{- end }}
{{- $account := include "waymark.serviceAccount" (dict "root" $ "name" $name) }}
{{- if and $service.serviceAccount.create (hasKey $accounts $account) }}
{{- $problems = append $problems (printf "services.%s.serviceAccount.name (%s) is that of %s: set create to false in one of them" $name $account (get $accounts $account)) }}
{{- end }}
{{- if $service.serviceAccount.create }}
{{- $_ := set $accounts $account $name }}
{{- end }}
{{- $_ := set $sized (printf "services.%s" $name) $service.resources }}
{{- $scaling := $service.autoscaling }}
{{- if and $scaling.enabled (not (or (dig "requests" "cpu" "" $service.resources) (dig "limits" "cpu" "" $service.resources))) }}
{{- $problems = append $problems (printf "services.%s.autoscaling scales by the share of the requested CPU: set services.%s.resources.requests.cpu" $name $name) }}
{{- end }}
{{- range $service.extraContainers }}
{{- $resources := .resources | default dict }}
{{- if and $scaling.enabled (not (or ($resources.requests | default dict).cpu ($resources.limits | default dict).cpu)) }}
{{- $problems = append $problems (printf "services.%s.autoscaling scales by the share of the requested CPU of all containers: set resources.requests.cpu of the container %s" $name .name) }}
{{- end }}
{{- end }}
{{- if gt (int64 $scaling.minReplicas) (int64 $scaling.maxReplicas) }}
{{- $problems = append $problems (printf "services.%s.autoscaling.minReplicas (%d) is above maxReplicas (%d): lower it, or raise maxReplicas" $name (int64 $scaling.minReplicas) (int64 $scaling.maxReplicas)) }}
{{- end }}
{{- if and $scaling.keda (not $scaling.enabled) }}
{{- $problems = append $problems (printf "services.%s.autoscaling.keda needs services.%s.autoscaling.enabled" $name $name) }}
{{- end }}
{{- $oldestClick := $scaling.oldestClick | default dict }}
{{- if $oldestClick.enabled }}
{{- if not $v.metrics.enabled }}
{{- $problems = append $problems (printf "services.%s.autoscaling.oldestClick needs metrics.enabled" $name) }}
{{- end }}
{{- if not $scaling.enabled }}
{{- $problems = append $problems (printf "services.%s.autoscaling.oldestClick needs services.%s.autoscaling.enabled" $name $name) }}
{{- end }}
{{- if and $scaling.keda (not $oldestClick.prometheusUrl) }}
{{- $problems = append $problems (printf "services.%s.autoscaling.oldestClick.prometheusUrl is empty: KEDA needs the URL of Prometheus" $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $resources := $sized }}
{{- $limits := $resources.limits | default dict }}
{{- range $resource, $request := $resources.requests }}
{{- $limit := get $limits $resource }}
{{- if and (hasKey $limits $resource) (gt (include "waymark.milli" $request | float64) (include "waymark.milli" $limit | float64)) }}
{{- $problems = append $problems (printf "%s.resources.requests.%s (%v) is above limits.%s (%v)" $name $resource $request $resource $limit) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and $v.metrics.enabled (has (int $v.metrics.port) (list 3000 8080 50051)) }}
{{- $problems = append $problems (printf "metrics.port (%d) is a port that the services serve requests on: choose one other than 3000, 8080 and 50051" (int64 $v.metrics.port)) }}
{{- end }}
{{- range $part := list "serviceMonitor" "prometheusRule" }}
{{- if and (index $v.metrics $part).enabled (not $v.metrics.enabled) }}
{{- $problems = append $problems (printf "metrics.%s needs metrics.enabled" $part) }}
{{- end }}
{{- end }}
{{- if and $v.ingress.enabled (not $v.ingress.apiHost) }}
{{- $problems = append $problems "ingress.apiHost is empty: set it to the public host, because an ingress without a host takes the requests of every host" }}
{{- end }}
{{- if and $v.httpRoute.enabled (not $v.httpRoute.apiHost) }}
{{- $problems = append $problems "httpRoute.apiHost is empty: set it to the public host, because a route without a host takes the requests of every host" }}
{{- end }}
{{- range $kind := list "ingress" "httpRoute" }}
{{- $route := index $v $kind }}
{{- range $name, $hosts := dict "shortHost" (list $route.shortHost) "extraShortHosts" $route.extraShortHosts }}
{{- range compact $hosts }}
{{- if eq . $route.apiHost }}
{{- $problems = append $problems (printf "%s.%s is the same as apiHost: leave it empty, because apiHost serves short links too" $kind $name) }}
{{- else if and (eq $name "extraShortHosts") (eq . $route.shortHost) }}
{{- $problems = append $problems (printf "%s.extraShortHosts names shortHost again: %s" $kind .) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- $apiHosts := list }}
{{- $hosts := list }}
{{- range list $v.ingress $v.httpRoute }}
{{- if .enabled }}
{{- $apiHosts = append $apiHosts .apiHost }}
{{- $hosts = concat $hosts (list .apiHost .shortHost) .extraShortHosts }}
{{- end }}
{{- end }}
{{- if compact $hosts }}
{{- if not (include "waymark.isAt" (dict "url" $v.publicUrl "hosts" $hosts)) }}
{{- $problems = append $problems (printf "publicUrl (%s) is at none of the hosts of the enabled routes (%s): every short URL begins with publicUrl, so set it to one of them" $v.publicUrl (compact $hosts | uniq | join ", ")) }}
{{- else if not (include "waymark.isAt" (dict "url" ($v.apiUrl | default $v.publicUrl) "hosts" $apiHosts)) }}
{{- $problems = append $problems (printf "apiUrl (%s) is at none of the hosts that serve the API (%s): sign-in links begin with apiUrl, so set it to one of them" ($v.apiUrl | default (printf "empty, so %s" $v.publicUrl)) (compact $apiHosts | uniq | join ", ")) }}
{{- end }}
{{- end }}
{{- range $name, $hosts := include "waymark.routeHosts" $v.ingress | fromYaml }}
{{- if and (get $v.ingress (printf "%sTlsSecret" $name)) (not $hosts) }}
{{- $problems = append $problems (printf "ingress.%sTlsSecret needs ingress.%sHost" $name $name) }}
{{- end }}
{{- end }}
{{- if eq $v.signingKey.key $v.signingKey.previousKey }}
{{- $problems = append $problems "signingKey.previousKey is the same entry as signingKey.key: leave it empty, or name the other key" }}
{{- end }}
{{- range list "clientId" "secret" }}
{{- if and $v.oidc.issuer (not (index $v.oidc .)) }}
{{- $problems = append $problems (printf "oidc.%s is empty, but oidc.issuer needs it" .) }}
{{- end }}
{{- end }}
{{- if and $v.brand.logo (not $v.brand.configMap) }}
{{- $problems = append $problems "brand.configMap is empty, but brand.logo needs it" }}
{{- end }}
{{- if and $v.brand.linkText (not $v.brand.link) }}
{{- $problems = append $problems "brand.link is empty, but brand.linkText needs it" }}
{{- end }}
{{- $spool := (index $v.services "links-svc").spool }}
{{- $sizeText := include "waymark.quantity" $spool.size }}
{{- $size := include "waymark.bytes" $sizeText | int64 }}
{{- if gt (mulf (int64 $spool.maxBytes) 10) (mulf $size 9) }}
{{- $problems = append $problems (printf "services.links-svc.spool.maxBytes (%d) is above 90 %% of spool.size (%s): set it to at most %d, or raise the size" (int64 $spool.maxBytes) $sizeText (divf (mulf $size 9) 10 | floor | int64)) }}
{{- end }}
{{- $name := printf "%s-links-svc" (include "waymark.fullname" .) }}
{{- $links := index $v.services "links-svc" }}
{{- $wanted := ternary $links.autoscaling.minReplicas $links.replicas $links.autoscaling.enabled | int64 }}
{{- range $claim := $v.spoolDrain.claims }}
{{- $ordinal := trimPrefix (printf "spool-%s-" $name) $claim }}
{{- if and $spool.persistent (regexMatch "^[0-9]+$" $ordinal) (lt (int64 $ordinal) $wanted) }}
{{- $problems = append $problems (printf "spoolDrain.claims names %s, which the pod %s-%s uses and sends itself: remove it" $claim $name $ordinal) }}
{{- end }}
{{- end }}
{{- with lookup "apps/v1" "StatefulSet" .Release.Namespace $name }}
{{- $current := (index .spec.volumeClaimTemplates 0).spec.resources.requests.storage }}
{{- if and $spool.persistent (ne (include "waymark.bytes" $current | int64) $size) }}
{{- $problems = append $problems (printf "services.links-svc.spool.size (%s) differs from the volumes' (%s), which Kubernetes cannot change in a StatefulSet: run deploy/grow-spool.sh (docs/operations.md, Grow the spool)" $sizeText $current) }}
{{- end }}
{{- end }}
{{- $kinds := list
  (list $v.metrics.serviceMonitor.enabled "metrics.serviceMonitor" "monitoring.coreos.com/v1")
  (list $v.metrics.prometheusRule.enabled "metrics.prometheusRule" "monitoring.coreos.com/v1")
  (list $v.httpRoute.enabled "httpRoute" "gateway.networking.k8s.io/v1") }}
{{- range $service, $settings := $v.services }}
{{- $kinds = append $kinds (list $settings.autoscaling.keda (printf "services.%s.autoscaling.keda" $service) "keda.sh/v1alpha1") }}
{{- end }}
{{- range $kinds }}
{{- if and (index . 0) (not ($.Capabilities.APIVersions.Has (index . 2))) }}
{{- $problems = append $problems (printf "%s needs %s, which this cluster does not have: install its operator first (helm template: --api-versions %s)" (index . 1) (index . 2) (index . 2)) }}
{{- end }}
{{- end }}
{{- if $problems }}
{{- fail (printf "these values cannot work:\n- %s" (join "\n- " $problems)) }}
{{- end }}
{{- end }}

{{/* Returns "true" if the host of a URL is one of the hosts, which may begin with "*.". Takes { url, hosts }. */}}
{{- define "waymark.isAt" -}}
{{- $host := regexReplaceAll ":[0-9]+$" (urlParse .url).host "" }}
{{- if or (has $host .hosts) (has (regexReplaceAll "^[^.]+" $host "*") .hosts) }}true{{ end }}
{{- end }}
