import { stringify } from 'yaml';

export const MANIFEST_KINDS = ['gateway', 'ingress'] as const;
export type ManifestKind = (typeof MANIFEST_KINDS)[number];

/** What the manifests refer to in the cluster. */
export interface ManifestOptions {
  kind: ManifestKind;
  /** The ClusterIssuer of cert-manager. */
  issuer: string;
  /** The Service of links-svc, and the port of its HTTP. */
  service: string;
  /** The Gateway that the listeners belong to, and its namespace. */
  gateway: string;
  gatewayNamespace: string | undefined;
  /** The class of the Ingress. Without it, the cluster's default. */
  ingressClass: string | undefined;
}

const HTTP_PORT = 3_000;
const HTTPS_PORT = 443;
const GATEWAY_GROUP = 'gateway.networking.k8s.io';
const GATEWAY_API = `${GATEWAY_GROUP}/v1`;

/**
 * Returns the YAML of the objects that a cluster needs for these hosts: certificates by cert-manager, and routes of all
 * their paths to links-svc. The objects of a host have its name.
 */
export function manifests(hosts: readonly string[], options: ManifestOptions): string {
  const objects = hosts.flatMap((host) =>
    (options.kind === 'gateway' ? gatewayObjects : ingressObjects)(host, options),
  );
  return objects.map((object) => `---\n${stringify(object)}`).join('');
}

/**
 * Returns a ListenerSet (Gateway API 1.5, cert-manager 1.20), which adds the host to the Gateway, and its HTTPRoute. Both
 * spell out the defaults of the API: inside lists, kubectl and GitOps tools otherwise find a change at each apply.
 */
function gatewayObjects(host: string, { issuer, service, gateway, gatewayNamespace }: ManifestOptions): object[] {
  return [
    {
      apiVersion: GATEWAY_API,
      kind: 'ListenerSet',
      metadata: metadata(host, { 'cert-manager.io/cluster-issuer': issuer }),
      spec: {
        parentRef: {
          group: GATEWAY_GROUP,
          kind: 'Gateway',
          name: gateway,
          ...(gatewayNamespace !== undefined && { namespace: gatewayNamespace }),
        },
        listeners: [
          {
            name: 'https',
            hostname: host,
            port: HTTPS_PORT,
            protocol: 'HTTPS',
            tls: { mode: 'Terminate', certificateRefs: [{ group: '', kind: 'Secret', name: host }] },
            allowedRoutes: { namespaces: { from: 'Same' } },
          },
        ],
      },
    },
    {
      apiVersion: GATEWAY_API,
      kind: 'HTTPRoute',
      metadata: metadata(host),
      spec: {
        parentRefs: [{ group: GATEWAY_GROUP, kind: 'ListenerSet', name: host }],
        hostnames: [host],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: '/' } }],
            backendRefs: [{ group: '', kind: 'Service', name: service, port: HTTP_PORT, weight: 1 }],
          },
        ],
      },
    },
  ];
}

function ingressObjects(host: string, { issuer, service, ingressClass }: ManifestOptions): object[] {
  const backend = { service: { name: service, port: { number: HTTP_PORT } } };
  return [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: metadata(host, { 'cert-manager.io/cluster-issuer': issuer }),
      spec: {
        ...(ingressClass !== undefined && { ingressClassName: ingressClass }),
        tls: [{ hosts: [host], secretName: host }],
        rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
      },
    },
  ];
}

function metadata(name: string, annotations?: Record<string, string>) {
  const labels = { 'app.kubernetes.io/part-of': 'waymark', 'app.kubernetes.io/component': 'short-host' };
  return { name, labels, ...(annotations !== undefined && { annotations }) };
}
