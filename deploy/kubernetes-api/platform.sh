# Creates what a platform team has before it installs the chart: kinds of operators (those of the Gateway API are real, the
# others accept any object), storage, a namespace that enforces Pod Security, and Secrets. check.sh sources it.
kind() { # kind GROUP VERSION KIND PLURAL
  cat <<EOF
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: $4.$1, annotations: { api-approved.kubernetes.io: unapproved } }
spec:
  group: $1
  scope: Namespaced
  names: { kind: $3, plural: $4 }
  versions:
    - { name: $2, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } } }
EOF
}
{
  kind monitoring.coreos.com v1 ServiceMonitor servicemonitors
  kind monitoring.coreos.com v1 PrometheusRule prometheusrules
  kind keda.sh v1alpha1 ScaledObject scaledobjects
  kind external-secrets.io v1 ExternalSecret externalsecrets
  cat <<'EOF'
---
apiVersion: v1
kind: Namespace
metadata: { name: waymark, labels: { pod-security.kubernetes.io/enforce: restricted, pod-security.kubernetes.io/warn: restricted } }
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: fast, annotations: { storageclass.kubernetes.io/is-default-class: "true" } }
provisioner: kubernetes.io/no-provisioner
allowVolumeExpansion: true
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: production }
value: 1000
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: normal }
value: 100
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: { name: gvisor }
handler: gvisor
---
apiVersion: v1
kind: Namespace
metadata: { name: monitoring }
EOF
} | kubectl apply -f - > /dev/null
# Too large for the annotation of a client-side apply. TLSRoute of the same version needs Kubernetes 1.31.
for plural in httproutes listenersets; do
  kubectl apply --server-side -f "$cached/gateway-api/gateway.networking.k8s.io_$plural.yaml" > /dev/null
done
k create serviceaccount existing > /dev/null
for secret in signing:current,previous waymark-signing-key:signing-key mongodb:uri,MONGODB_URL waymark-mongodb:url \
  clickhouse:password redis:uri registry:x waymark-grpc:tls.crt,tls.key,ca.crt waymark-clickhouse:password; do
  entries=()
  for entry in $(tr , ' ' <<< "${secret#*:}"); do entries+=("--from-literal=$entry=$(openssl rand -hex 32)"); done
  k create secret generic "${secret%:*}" "${entries[@]}" > /dev/null
done
k create configmap proxy-settings --from-literal=HTTP_PROXY= > /dev/null
k create configmap company-ca --from-literal=ca.crt= > /dev/null
