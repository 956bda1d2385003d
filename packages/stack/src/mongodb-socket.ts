import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The longest path of a Unix socket on macOS; Linux allows four bytes more. */
const PATH_MAX_BYTES = 103;

/** Returns the socket of the embedded MongoDB: in its data folder, or in a temporary one if that path is too long. */
export function mongodbSocket(mongodbDir: string): { path: string; isTemporary: boolean } {
  const path = join(mongodbDir, 'mongodb.sock');
  if (Buffer.byteLength(path) <= PATH_MAX_BYTES) return { path, isTemporary: false };
  const name = createHash('sha256').update(mongodbDir).digest('hex').slice(0, 16);
  return { path: join(tmpdir(), `waymark-${name}`, 'mongodb.sock'), isTemporary: true };
}
