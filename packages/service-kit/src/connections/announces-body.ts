import type { IncomingHttpHeaders } from 'node:http';

/** Returns true if the headers announce a body that is not empty, or that comes in chunks. */
export function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
