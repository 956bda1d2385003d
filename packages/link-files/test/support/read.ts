import {
  type FileHosts,
  type FileLink,
  type LinkFile,
  type LinkFileRow,
  type ReadOptions,
  readLinkFile,
} from '../../src/index.ts';

/** Yields the bytes in chunks of this size. */
export async function* chunksOf(bytes: Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** Opens a file with this content. */
export function open(
  content: string | Uint8Array,
  options?: ReadOptions,
  { chunkSize, hosts }: { chunkSize?: number; hosts?: FileHosts | undefined } = {},
): Promise<LinkFile> {
  return readLinkFile(chunksOf(Buffer.from(content as string), chunkSize), options, hosts);
}

/** Reads a file with this content. */
export async function rowsOf(
  content: string | Uint8Array,
  options?: ReadOptions,
  hosts?: FileHosts,
): Promise<LinkFileRow[]> {
  const rows: LinkFileRow[] = [];
  for await (const row of (await open(content, options, { hosts })).rows) rows.push(row);
  return rows;
}

/** Reads a file in which no row is wrong. */
export async function linksOf(
  content: string | Uint8Array,
  options?: ReadOptions,
  hosts?: FileHosts,
): Promise<FileLink[]> {
  return (await rowsOf(content, options, hosts)).map((row) => {
    if ('error' in row) throw new Error(`line ${row.row}: ${row.error}`);
    return row.link;
  });
}

/** Reads a file with one row, which is wrong. Returns the reason. */
export async function refusalOf(content: string | Uint8Array, options?: ReadOptions): Promise<string> {
  const rows = await rowsOf(content, options);
  if (rows.length !== 1 || !('error' in rows[0]!)) throw new Error(`not refused: ${JSON.stringify(rows)}`);
  return rows[0].error;
}
