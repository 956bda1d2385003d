import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Addresses } from '../addresses.ts';
import { ENCODINGS, type StaticFile, staticFile } from '../static/static-file.ts';

const SUFFIX_OF = { br: '.br', gzip: '.gz' } as const;
const HTML = 'text/html';
const TYPES: Record<string, string> = {
  '.html': HTML,
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/**
 * Reads the build of the dashboard. The keys are paths below `/app/`, so no request ever names a file of the disk. The page
 * gets the addresses.
 * @throws if it is not built, or holds a kind of file whose type is not in `TYPES`.
 */
export async function readDashboard(addresses: Addresses): Promise<Map<string, StaticFile>> {
  const folder = join(dirname(fileURLToPath(import.meta.resolve('@waymark/web/package.json'))), 'dist');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new Error('The dashboard is not built. Run "pnpm build".', { cause });
  });
  const contents = new Map<string, Buffer>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    contents.set(file.slice(folder.length + 1), await readFile(file));
  }
  const files = new Map<string, StaticFile>();
  for (const [path, content] of contents) {
    if (Object.values<string>(SUFFIX_OF).includes(extname(path))) continue;
    const type = TYPES[extname(path)];
    if (type === undefined) throw new Error(`The dashboard has a file of an unknown type: ${path}`);
    const compressed: StaticFile['compressed'] = {};
    for (const encoding of ENCODINGS) {
      const smaller = contents.get(path + SUFFIX_OF[encoding]);
      if (smaller !== undefined) compressed[encoding] = smaller;
    }
    files.set(path, staticFile(type, type === HTML ? withAddresses(content, addresses) : content, compressed));
  }
  return files;
}

/** Returns the page with the addresses as attributes of its root, from which its scripts read them. */
function withAddresses(page: Buffer, { apiUrl, publicUrl }: Addresses): Buffer {
  const attribute = (name: string, url: string) =>
    `data-${name}="${url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
  const attributes = `${attribute('api-url', apiUrl)} ${attribute('public-url', publicUrl)}`;
  return Buffer.from(page.toString().replace('<html ', () => `<html ${attributes} `));
}
