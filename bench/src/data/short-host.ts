import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkResults, Host } from '@waymark/contract';
import type { HttpRequest } from '../http-target.ts';
import type { World } from '../world.ts';

const PER_REQUEST = 100;
/** A replica knows a new host within 2 seconds. */
const KNOWN_AFTER_MS = 2_500;

/** Adds a verified short host to the account through the API, with new links. Returns their slugs. */
export async function createShortHost(world: World, host: string, linkCount: number): Promise<string[]> {
  const { gateway, keyHeaders, txtRecords } = world;
  const post = async <Body>(path: string, json: unknown, status = 200): Promise<Body> => {
    const request: HttpRequest = { method: 'POST', path, headers: keyHeaders, json };
    return JSON.parse(await gateway.send(request, status)) as Body;
  };
  const { id, txt } = await post<Host>('/api/v1/hosts', { host }, 201);
  txtRecords.set(txt.name, [txt.value]);
  const { status } = await post<Host>(`/api/v1/hosts/${id}/verify`, {});
  if (status !== 'verified') throw new Error(`${host} is ${status}`);
  const slugs: string[] = [];
  for (let from = 0; from < linkCount; from += PER_REQUEST) {
    const operations = Array.from({ length: Math.min(PER_REQUEST, linkCount - from) }, (_, index) => {
      const number = from + index;
      return {
        op: 'create',
        link: { host, slug: `s${number}`, destination_url: `https://example.com/?item=${number}` },
      };
    });
    const { results } = await post<BulkResults>('/api/v1/links/bulk', { operations });
    for (const result of results) {
      if (!('link' in result)) throw new Error(`a link on ${host} was refused: ${JSON.stringify(result)}`);
      slugs.push(result.link.slug!);
    }
  }
  await sleep(KNOWN_AFTER_MS);
  return slugs;
}
