// Code that must compile for a client, and lines after `@ts-expect-error` that must not.
import type { components } from './api.gen.ts';

type Schemas = components['schemas'];
export const least: Schemas['CreateLinkInput'] = { destination_url: 'https://example.com/' };
export const nothing: Schemas['UpdateLinkInput'] = {};
export const emptied: Schemas['UpdateLinkInput'] = { title: null, description: null, note: null, hashtags: [] };
// @ts-expect-error The destination is required.
export const noDestination: Schemas['CreateLinkInput'] = { title: 'x' };
// @ts-expect-error There is no such visibility.
export const noVisibility: Schemas['UpdateLinkInput'] = { visibility: 'secret' };
// @ts-expect-error An update has no auto_meta.
export const noAutoMeta: Schemas['UpdateLinkInput'] = { auto_meta: true };
export function read(link: Schemas['Link']): string | null {
  const { id, slug, short_url, destination_url, hashtags, created_at, updated_at } = link;
  const count: number = link.clicks;
  const texts: (string | null)[] = [link.title, link.description, link.note, link.last_clicked_at];
  return [id, slug, short_url, destination_url, ...hashtags, created_at, updated_at, count, ...texts].join();
}
