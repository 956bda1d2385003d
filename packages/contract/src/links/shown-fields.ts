import Type from 'typebox';
import { Link } from './link.ts';

/** The names of the fields that a response shows of each link. */
export const FieldNames = Type.String({
  maxLength: 300,
  format: 'link-fields',
  description: 'Only these fields of each link, separated by commas. `id` is always included.',
  examples: ['slug,clicks'],
});

/** A link of a list. With `fields`, it has only those and its id; the type does not say so, the schema does. */
export const ListedLink = Type.Unsafe<Link>({
  ...Link,
  description: 'A short link, or some of its fields.',
  required: ['id'],
});

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
