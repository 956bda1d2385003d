import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type ManifestOptions, manifests } from './manifests.ts';

// docs/hosts.md, Kubernetes: what `admin host manifests` prints.

const options: ManifestOptions = {
  kind: 'gateway',
  issuer: 'letsencrypt',
  service: 'waymark-links-svc',
  gatewayService: 'waymark-gateway',
  gateway: 'public',
  gatewayNamespace: 'infra',
  ingressClass: undefined,
};
const HOSTS = ['go.example.com', 'xn--bcher-kva.example.org'];

function documents(text: string): Record<string, unknown>[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Record<string, unknown>);
}

test('each host gets a ListenerSet with a certificate, and a route that leads it to links-svc', () => {
  const found = documents(manifests(HOSTS, options));
  expect(found.map(({ kind }) => kind)).toEqual(['ListenerSet', 'HTTPRoute', 'ListenerSet', 'HTTPRoute']);
  expect(found[0]).toMatchObject({
    metadata: { name: HOSTS[0], annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' } },
    spec: {
      parentRef: { name: 'public', namespace: 'infra' },
      listeners: [{ hostname: HOSTS[0], port: 443, tls: { mode: 'Terminate', certificateRefs: [{ name: HOSTS[0] }] } }],
    },
  });
  expect(found[3]).toMatchObject({
    spec: {
      parentRefs: [{ kind: 'ListenerSet', name: HOSTS[1] }],
      hostnames: [HOSTS[1]],
      rules: [{}, { backendRefs: [{ name: 'waymark-links-svc', port: 3000 }] }],
    },
  });
});

test('/internal leads to the gateway, which has no such path, as in the chart', () => {
  const [, route] = documents(manifests(HOSTS, options));
  const rule = (value: string, name: string, port: number) =>
    expect.objectContaining({
      matches: [{ path: { type: 'PathPrefix', value } }],
      backendRefs: [expect.objectContaining({ name, port })],
    });
  expect(route!.spec).toMatchObject({
    rules: [rule('/internal', 'waymark-gateway', 8080), rule('/', 'waymark-links-svc', 3000)],
  });
  const [ingress] = documents(manifests(HOSTS, { ...options, kind: 'ingress' }));
  const path = (value: string, name: string, number: number) => ({
    path: value,
    pathType: 'Prefix',
    backend: { service: { name, port: { number } } },
  });
  expect(ingress!.spec).toMatchObject({
    rules: [{ http: { paths: [path('/internal', 'waymark-gateway', 8080), path('/', 'waymark-links-svc', 3000)] } }],
  });
});

test('lists hold the defaults of the Gateway API, so that a second apply changes nothing', () => {
  const [listenerSet, route] = documents(manifests(HOSTS, options));
  expect(listenerSet).toMatchObject({
    spec: {
      listeners: [
        {
          tls: { certificateRefs: [{ group: '', kind: 'Secret' }] },
          allowedRoutes: { namespaces: { from: 'Same' } },
        },
      ],
    },
  });
  expect(route).toMatchObject({
    spec: {
      rules: ['/internal', '/'].map((value) => ({
        matches: [{ path: { type: 'PathPrefix', value } }],
        backendRefs: [{ group: '', kind: 'Service', weight: 1 }],
      })),
    },
  });
});

test('or an Ingress', () => {
  const [first, ...rest] = documents(manifests(HOSTS, { ...options, kind: 'ingress', ingressClass: 'nginx' }));
  expect(rest).toHaveLength(1);
  expect(first).toMatchObject({
    kind: 'Ingress',
    metadata: { annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' } },
    spec: {
      ingressClassName: 'nginx',
      tls: [{ hosts: [HOSTS[0]], secretName: HOSTS[0] }],
      rules: [{ host: HOSTS[0], http: { paths: [{ path: '/internal' }, { path: '/' }] } }],
    },
  });
});

test('no host needs nothing', () => {
  expect(manifests([], options)).toBe('');
});
