import type { Host } from '@waymark/contract';
import { expect } from 'vitest';
import type { DnsServer } from '../../apps/links-svc/test/support/dns-server.ts';
import { visit } from '../../apps/links-svc/test/support/visit.ts';
import { BROWSER, request } from './world.ts';

/** Adds a short host to the account of a key, gives it its TXT record, and has it verified. */
export async function verifyHost(base: string, key: string, host: string, dns: DnsServer): Promise<Host> {
  const added = await request<Host>('/api/v1/hosts', { method: 'POST', base, key, json: { host } });
  expect(added.status, JSON.stringify(added.body)).toBe(201);
  const { id, txt } = added.body;
  dns.records.set(txt.name, [txt.value]);
  const verified = await request<Host>(`/api/v1/hosts/${id}/verify`, { method: 'POST', base, key });
  expect(verified.body).toMatchObject({ host, status: 'verified' });
  return verified.body;
}

/** Follows a short link as a browser that asks for it on a host. Returns where it leads, or the status if nowhere. */
export async function followOn(
  origin: string,
  host: string,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<string | number> {
  const headers = { 'user-agent': BROWSER, ...options.headers };
  const { status, headers: got } = await visit(origin, host, path, { ...options, headers });
  return got.location ?? status;
}
