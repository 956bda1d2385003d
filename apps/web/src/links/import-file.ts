import type { ImportPreview, Job } from '@waymark/contract';
import { apiResponse } from '../api/client.ts';

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

interface ImportRequest {
  file: File;
  /** For a file that is not understood without them. */
  columns: ImportColumns | null;
  signal: AbortSignal;
}

/** Returns false if a file changed after it was chosen, or is gone. */
export function isReadable(file: File): Promise<boolean> {
  const [first, last] = [file.slice(0, 1), file.slice(-1)];
  return Promise.all([first.arrayBuffer(), last.arrayBuffer()]).then(
    () => true,
    () => false,
  );
}

/** Returns how the API understands a file. */
export async function previewImport(request: ImportRequest): Promise<ImportPreview> {
  return (await send(request, { dry_run: 'true' }, {})).json();
}

/** Uploads a file and begins its import. */
export async function startImport(request: ImportRequest, key: string): Promise<Job> {
  return (await send(request, {}, { 'Idempotency-Key': key })).json();
}

function send(
  { file, columns, signal }: ImportRequest,
  options: { dry_run?: 'true' },
  headers: Record<string, string>,
): Promise<Response> {
  return apiResponse('POST /api/v1/jobs/import', {
    query: { ...options, name: shortName(file), ...(columns && { columns: JSON.stringify(columns) }) },
    headers: { ...headers, 'content-type': typeOf(file) },
    body: file,
    signal,
  });
}

const NAME_MAX_LENGTH = 200;

/** Returns the name of a file as the title of a job may be. */
function shortName({ name }: File): string {
  return [...name].slice(0, NAME_MAX_LENGTH).join('');
}

const TYPES: Record<string, string> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
};

/** Returns the media type by the file's extension, because browsers differ. The API detects the type of other files. */
function typeOf({ name }: File): string {
  return TYPES[name.split('.').at(-1)!.toLowerCase()] ?? 'application/octet-stream';
}
