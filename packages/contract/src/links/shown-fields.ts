import { Link } from './link.ts';

/** Returns true for names of fields of a link, separated by commas. */
export function areLinkFields(text: string): boolean {
  return text.split(',').every((name) => Object.hasOwn(Link.properties, name));
}

/** Returns the links with their id and these fields only, separated by commas, or as they are without `fields`. */
export function withFields(links: Link[], fields: string | undefined): Link[] {
  if (fields === undefined) return links;
  const names = new Set(['id', ...fields.split(',')]);
  return links.map((link) => Object.fromEntries(Object.entries(link).filter(([name]) => names.has(name))) as Link);
}
