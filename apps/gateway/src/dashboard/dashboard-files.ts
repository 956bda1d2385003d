import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Brand, escapeHtml } from '@waymark/service-kit';
import { ENCODINGS, type StaticFile, staticFile } from '../static/static-file.ts';
import { brandStyle, withBrand } from './dashboard-brand.ts';

export const INDEX = 'index.html';

const SUFFIX_OF = { br: '.br', gzip: '.gz' } as const;
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** What the page knows of its installation, by the names of its `meta` elements. */
export interface PageFacts {
  'public-url': string;
  'api-url': string;
  /** The command line that makes a sign-in link, up to the user name. Empty if the operator names none. */
  'sign-in-command': string;
  /** The host of the OpenID provider. Empty without a provider. */
  'sign-in-provider': string;
}

/**
 * Reads the build of the dashboard, and writes the brand and the facts into its page. The keys are paths below `/app/`, so no
 * request ever names a file of the disk.
 * @throws if it is not built, or holds a kind of file whose type is not in `TYPES`.
 */
export async function readDashboard(brand: Brand, facts: PageFacts): Promise<Map<string, StaticFile>> {
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
  const style = brandStyle(brand);
  if (style !== null) contents.set(style.path, Buffer.from(style.content));
  contents.set(INDEX, Buffer.from(withBrand(withFacts(String(contents.get(INDEX)), facts), brand, style)));
  const files = new Map<string, StaticFile>();
  for (const [path, content] of contents) {
    if (Object.values<string>(SUFFIX_OF).includes(extname(path))) continue;
    const type = TYPES[extname(path)];
    if (type === undefined) throw new Error(`The dashboard has a file of an unknown type: ${path}`);
    const compressed: StaticFile['compressed'] = {};
    for (const encoding of ENCODINGS) {
      // The build's compressed page has no facts in it. It is too small to be compressed here.
      const smaller = path === INDEX ? undefined : contents.get(path + SUFFIX_OF[encoding]);
      if (smaller !== undefined) compressed[encoding] = smaller;
    }
    files.set(path, staticFile(type, content, compressed));
  }
  return files;
}

function withFacts(page: string, facts: PageFacts): string {
  return Object.entries({ ...facts }).reduce((text, [name, content]) => {
    return text.replace(`name="${name}" content=""`, () => `name="${name}" content="${escapeHtml(content)}"`);
  }, page);
}
