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
  /** The Service of the gateway, which gets `/internal`. */
  gatewayService: string;
  /** The Gateway that the listeners belong to, and its namespace. */
  gateway: string;
  gatewayNamespace: string | undefined;
  /** The class of the Ingress. Without it, the cluster's default. */
  ingressClass: string | undefined;
}

const HTTP_PORT = 3_000;
const GATEWAY_HTTP_PORT = 8_080;
/** What links-svc answers there is for the proxy alone. The gateway has no such path. */
const INTERNAL = '/internal';
const HTTPS_PORT = 443;
const GATEWAY_GROUP = 'gateway.networking.k8s.io';
const GATEWAY_API = `${GATEWAY_GROUP}/v1`;

/**
 * Returns the YAML of the objects that a cluster needs for these hosts: certificates by cert-manager, and routes of their
 * paths to links-svc. The objects of a host have its name.
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
function gatewayObjects(host: string, options: ManifestOptions): object[] {
  const { issuer, service, gatewayService, gateway, gatewayNamespace } = options;
  const rule = (path: string, name: string, port: number) => ({
    matches: [{ path: { type: 'PathPrefix', value: path } }],
    backendRefs: [{ group: '', kind: 'Service', name, port, weight: 1 }],
  });
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
        rules: [rule(INTERNAL, gatewayService, GATEWAY_HTTP_PORT), rule('/', service, HTTP_PORT)],
      },
    },
  ];
}

function ingressObjects(host: string, { issuer, service, gatewayService, ingressClass }: ManifestOptions): object[] {
  const pathTo = (path: string, name: string, number: number) => ({
    path,
    pathType: 'Prefix',
    backend: { service: { name, port: { number } } },
  });
  const paths = [pathTo(INTERNAL, gatewayService, GATEWAY_HTTP_PORT), pathTo('/', service, HTTP_PORT)];
  return [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: metadata(host, { 'cert-manager.io/cluster-issuer': issuer }),
      spec: {
        ...(ingressClass !== undefined && { ingressClassName: ingressClass }),
        tls: [{ hosts: [host], secretName: host }],
        rules: [{ host, http: { paths } }],
      },
    },
  ];
}

function metadata(name: string, annotations?: Record<string, string>) {
  const labels = { 'app.kubernetes.io/part-of': 'waymark', 'app.kubernetes.io/component': 'short-host' };
  return { name, labels, ...(annotations !== undefined && { annotations }) };
}
