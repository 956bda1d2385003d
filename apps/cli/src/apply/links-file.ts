import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { components } from '@waymark/client';
import { AppError, checkUpsert, hostOfDomain, type UpsertLinkInput } from '@waymark/contract';
import { isMap, isSeq, LineCounter, type Node, parseDocument, type Document as YamlDocument } from 'yaml';
import { CliError, EXIT } from '../cli-error.ts';

type Link = components['schemas']['Link'];

/** A link of the file, and where it begins. */
export interface DeclaredLink {
  line: number;
  link: UpsertLinkInput;
}

/** What is wrong, and in which line of the file. */
export interface Fault {
  line: number;
  error: string;
}

/** Fields that a file cannot have, and why not. The schema for editors lacks them, too. */
const EXCLUDED_FIELDS: Record<string, string> = {
  password: 'is a secret, and cannot be compared; use "waymark links update … --password"',
  auto_meta: 'reads the page once, so that the file would not say what the link has',
  managed_by: 'is what --managed-by says',
};

/**
 * Reads a file of links, YAML or JSON; `-` is standard input.
 * @throws {CliError} names the lines of all that is wrong with it.
 */
export async function readLinksFile(path: string): Promise<DeclaredLink[]> {
  const bytes = await (path === '-' ? buffer(process.stdin) : readFile(path)).catch((error: Error) => {
    throw new CliError(`Cannot read ${path}: ${error.message}.`, EXIT.usage);
  });
  const { links, faults } = parseLinks(textOf(bytes, path));
  if (faults.length > 0) throw new CliError(faultsText(path, faults), EXIT.usage);
  return links;
}

function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CliError(`Cannot read ${path}: it is not UTF-8.`, EXIT.usage);
  }
}

/** Returns the faults as compilers write them, so that editors find the lines. */
export function faultsText(path: string, faults: readonly Fault[]): string {
  return faults.map(({ line, error }) => `${path}:${line}: ${error}`).join('\n');
}

/** Returns the links of a file, and what is wrong with it. */
export function parseLinks(source: string): { links: DeclaredLink[]; faults: Fault[] } {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const lineOf = (node: unknown) => lines.linePos((node as Node | null)?.range?.[0] ?? 0).line || 1;
  const faults = document.errors.map(({ pos, message }) => ({ line: lines.linePos(pos[0]).line, error: message }));
  if (faults.length > 0) return { links: [], faults };
  const root = document.contents;
  const list = isMap(root) ? root.get('links', true) : null;
  if (!isMap(root) || !isSeq(list))
    return { links: [], faults: [{ line: lineOf(root), error: 'The file must have a list "links".' }] };
  for (const { key } of root.items)
    if (String(key) !== 'links')
      faults.push({ line: lineOf(key), error: `"${key}" is not known; the file has only "links".` });

  const links: DeclaredLink[] = [];
  const seen = new Map<string, number>();
  for (const item of list.items) {
    const line = lineOf(item);
    try {
      const link = checkedLink(plainValueOf(item as Node, document));
      const first = seen.get(keyOf(link));
      if (first !== undefined) faults.push({ line, error: `"slug" ${link.slug} is in line ${first} already.` });
      seen.set(keyOf(link), first ?? line);
      links.push({ line, link });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      faults.push({ line: lineOf(fieldOf(item, error.message) ?? item), error: error.message });
    }
  }
  return { links, faults };
}

/** @throws {AppError} if an alias has no anchor, or stands for too much. */
function plainValueOf(item: Node, document: YamlDocument): unknown {
  try {
    return item.toJS(document);
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new AppError('invalid', `${error.message}.`);
  }
}

/** @throws {AppError} with the API's message. */
function checkedLink(value: unknown): UpsertLinkInput {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('invalid', 'A link must have fields such as "slug" and "destination_url".');
  for (const name of Object.keys(value))
    if (Object.hasOwn(EXCLUDED_FIELDS, name)) throw new AppError('invalid', `"${name}" ${EXCLUDED_FIELDS[name]}.`);
  return checkUpsert(value);
}

/** Returns the key of the field that a message of the API is about. */
function fieldOf(item: unknown, message: string): unknown {
  const name = /^"(\w+)/.exec(message)?.[1];
  return isMap(item) ? item.items.find(({ key }) => String(key) === name)?.key : null;
}

/** Returns what two links of one name have in common. */
export function keyOf({ host, slug }: { host?: string | null | undefined; slug: string }): string {
  return `${host ? (hostOfDomain(host) ?? host) : ''}/${slug.toLowerCase()}`;
}

/** Returns the keys by which a file may name a link: the default host has a name, too. */
export function keysOf({ host, slug, short_url }: Pick<Link, 'host' | 'slug' | 'short_url'>): string[] {
  return [keyOf({ host, slug }), keyOf({ host: new URL(short_url).hostname, slug })];
}
