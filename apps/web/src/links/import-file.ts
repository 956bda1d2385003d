import type { components } from '../api/api.gen.ts';
import { errorOf } from '../api/api-error.ts';
import { fetchWithSession } from '../api/client.ts';
import type { Job } from '../jobs/jobs.ts';

/** The largest file that the API takes. */
export const FILE_MAX_MEBIBYTES = 64;

/** The fields that a column of a file can have, the required one first. */
export const IMPORT_FIELDS = [
  'destination_url',
  'host',
  'slug',
  'title',
  'description',
  'note',
  'hashtags',
  'visibility',
  'archived',
  'expires_at',
  'expired_url',
  'created_at',
] as const;

/** The column of each field. */
export type ImportColumns = Record<string, string>;

/** The first rows of a file, as the API understands them. */
export type ImportPreview = components['schemas']['ImportPreview'];

interface ImportRequest {
  file: File;
  /** For a file that is not understood without them. */
  columns: ImportColumns | null;
  signal: AbortSignal;
}

/** Returns how the API understands a file. */
export function previewImport(request: ImportRequest): Promise<ImportPreview> {
  return send<ImportPreview>(request, { dry_run: 'true' }, {});
}

/** Uploads a file and begins its import. */
export function startImport(request: ImportRequest, key: string): Promise<Job> {
  return send<Job>(request, {}, { 'idempotency-key': key });
}

async function send<Body>(
  { file, columns, signal }: ImportRequest,
  query: Record<string, string>,
  headers: Record<string, string>,
): Promise<Body> {
  const url = new URL('/api/v1/jobs/import', location.origin);
  url.search = new URLSearchParams({ ...query, ...(columns && { columns: JSON.stringify(columns) }) }).toString();
  const response = await fetchWithSession(
    new Request(url, { method: 'POST', body: file, headers: { ...headers, 'content-type': typeOf(file) }, signal }),
  );
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw errorOf(response, body);
  return body as Body;
}

const TYPES: Record<string, string> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
};

/** Browsers name the type of a file differently, so its ending decides. Of other files, the API finds it out. */
function typeOf({ name }: File): string {
  return TYPES[name.split('.').at(-1)!.toLowerCase()] ?? 'application/octet-stream';
}
