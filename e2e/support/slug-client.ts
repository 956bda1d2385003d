import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '@waymark/contract';
import { expect } from 'vitest';
import { request } from './world.ts';

const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;

/** What a client knows of a link that it created. A request without a response may or may not have worked. */
interface KnownLink {
  id: string;
  slugs: Set<string>;
  mayBeGone: boolean;
}

interface SlugClientOptions {
  base: string;
  key: string;
  /** The slugs that it gives its links. */
  slugs: readonly string[];
}

/** Creates, changes and deletes links of one account until it is stopped. Nobody else changes these links. */
export class SlugClient {
  /** How often each request got each response, such as `PUT 200`. A lost response has the status 0. */
  readonly statuses = new Map<string, number>();
  readonly links = new Map<string, KnownLink>();
  /** The titles of its changes that were done. Each change has its own, and `hidden` in it if it hides the link. */
  readonly doneTitles: string[] = [];
  /** Those of the changes that may or may not have been done. */
  readonly unknownTitles: string[] = [];
  readonly deletedIds: string[] = [];
  readonly #options: SlugClientOptions;
  readonly #running: Promise<void>;
  #stopped = false;

  constructor(options: SlugClientOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const link = oneOf([...this.links.values()]);
      const method = link === undefined ? 'POST' : oneOf(['POST', 'PUT', 'PUT', 'DELETE']);
      const status = await this.#send(method, oneOf(this.#options.slugs), link);
      const key = `${method} ${status}`;
      this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1);
      if (isUnknown(status)) await sleep(50);
    }
  }

  async #send(method: string, slug: string, link: KnownLink | undefined): Promise<number> {
    const { base, key } = this.#options;
    const path = `/api/v1/links${method === 'POST' ? '' : `/${link!.id}`}`;
    const visibility = method === 'PUT' ? oneOf(['public', 'unlisted', 'private']) : 'public';
    const title = `${visibility === 'private' ? 'hidden' : 'shown'} ${randomUUID()}`;
    const json = {
      POST: { slug, title, destination_url: `https://example.com/${Math.random()}` },
      PUT: { slug, title, visibility },
      DELETE: undefined,
    }[method];
    const { status, body } = await request<Link>(path, { method, key, base, ...(json && { json }) }).catch(() => ({
      status: 0,
      body: null,
    }));
    if (isUnknown(status)) this.unknownTitles.push(title);
    else if (status === 204) this.deletedIds.push(link!.id);
    else if (status < 300) this.doneTitles.push(title);
    if (method === 'POST') {
      if (status === 201) this.links.set(body!.id, { id: body!.id, slugs: new Set([slug]), mayBeGone: false });
    } else if (method === 'PUT') {
      if (status === 200 && link!.slugs.size === 1) link!.slugs.clear();
      if (status === 200 || isUnknown(status)) link!.slugs.add(slug);
    } else if (isUnknown(status)) link!.mayBeGone = true;
    else if (status === 204) this.links.delete(link!.id);
    if (status === 404) {
      expect(link!.mayBeGone, `${link!.id} is gone`).toBe(true);
      this.links.delete(link!.id);
    }
    return status;
  }
}

/** Returns true if a request may have worked although its response does not say so. */
function isUnknown(status: number): boolean {
  return status === 0 || status >= 500;
}
