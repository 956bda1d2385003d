import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The compressed forms of a file that the build of the dashboard makes, the preferred one first. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];
const SUFFIX_OF = { br: '.br', gzip: '.gz' } as const;

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file of the dashboard, in memory. */
export interface DashboardFile {
  type: string;
  etag: string;
  content: Buffer;
  compressed: Partial<Record<Encoding, Buffer>>;
}

/**
 * Reads the build of the dashboard. The keys are paths below `/app/`, so no request ever names a file of the disk.
 * @throws if it is not built, or holds a kind of file whose type is not in `TYPES`.
 */
export async function readDashboard(): Promise<Map<string, DashboardFile>> {
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
  const files = new Map<string, DashboardFile>();
  for (const [path, content] of contents) {
    if (Object.values(SUFFIX_OF).includes(extname(path) as '.br' | '.gz')) continue;
    const type = TYPES[extname(path)];
    if (type === undefined) throw new Error(`The dashboard has a file of an unknown type: ${path}`);
    const compressed: DashboardFile['compressed'] = {};
    for (const encoding of ENCODINGS) {
      const smaller = contents.get(path + SUFFIX_OF[encoding]);
      if (smaller !== undefined) compressed[encoding] = smaller;
    }
    // Weak, because the compressed forms share it.
    const etag = `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
    files.set(path, { type, etag, content, compressed });
  }
  return files;
}
