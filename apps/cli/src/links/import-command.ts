import { openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Client, type components, watchJob } from '@waymark/client';
import {
  importNotes,
  importSummary,
  interruptedImport,
  print,
  type Refusal,
  refusalText,
  showProgress,
} from '@waymark/terminal';
import type { Command } from 'commander';
import { queryParameters } from '../api-document.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { connect } from '../connection.ts';
import { interrupted } from '../interruption.ts';
import { addCommand, addFields, sentFields, type Values } from '../options.ts';
import { oneLine } from '../output/print.ts';
import { table } from '../output/table.ts';

type Job = components['schemas']['Job'];
type Preview = components['schemas']['ImportPreview'];

const { name: _, ...QUERY } = queryParameters('startImport');
const CONTENT_TYPES: Record<string, string> = { '.json': 'application/json', '.ndjson': 'application/x-ndjson' };

/** Adds `links import`. */
export function addImportCommand(links: Command): void {
  const command = addCommand(
    links,
    'import <file>',
    'import links from CSV, ndjson or JSON of Waymark, Bitly, Dub, Kutt, Shlink or YOURLS; importing a file again creates nothing twice',
  );
  addFields(command, QUERY)
    .option('--charset <name>', 'the encoding of a file that is neither UTF-8 nor UTF-16')
    .action(async (file: string, values: Values) => {
      const client = await connect();
      const type = CONTENT_TYPES[extname(file).toLowerCase()] ?? 'text/csv';
      const charset = typeof values.charset === 'string' ? `; charset=${values.charset}` : '';
      const content = await openFile(file);
      const answer = await client.post('/api/v1/jobs/import', {
        query: { ...queryOf(values), name: basename(file) },
        headers: { 'content-type': type + charset },
        body: content,
      });
      if ('rows' in answer) print(values.json, answer, previewText(answer));
      else await finish(client, answer as Job, values.json);
    });
}

/** @throws {CliError} if there is no file that can be read. */
async function openFile(file: string): Promise<Blob> {
  // `openAsBlob` gives no reason, and takes folders.
  const opened = await open(file).catch((error: Error) => {
    throw new CliError(`Cannot read ${file}: ${error.message}.`, EXIT.usage);
  });
  const isFile = (await opened.stat().finally(() => opened.close())).isFile();
  if (!isFile) throw new CliError(`Cannot read ${file}: it is not a file.`, EXIT.usage);
  return openAsBlob(file);
}

function queryOf(values: Values): object {
  const { columns, ...query } = sentFields(QUERY, values);
  return { ...query, ...(columns !== undefined && { columns: columns as string }) };
}

/** Waits for the end of the import, and prints what became of it. Ctrl-C ends the waiting, not the import. */
async function finish(client: Client, begun: Job, json: boolean | undefined): Promise<void> {
  const progress = showProgress(json);
  const onProgress = ({ done, matched }: Job) => progress.show(`${done} of ${matched} links`, done);
  const job = await watchJob(client, begun, { onProgress, signal: interrupted })
    .catch((error: unknown) => {
      throw interrupted.aborted ? new CliError(interruptedImport('Interrupted.', begun.id), EXIT.interrupted) : error;
    })
    .finally(() => progress.clear());
  const refusals = job.refused === 0 ? [] : await refusalsOf(client, job);
  const lines = refusals.map(refusalLine);
  print(json, { ...job, refusals }, [...lines, ...importNotes(job), importSummary(job)].join('\n'));
  if (job.state !== 'done')
    throw new CliError(`The import ${job.state === 'failed' ? 'failed' : 'was cancelled'}; import the file again.`);
  if (job.refused > 0) process.exitCode = EXIT.partly;
}

async function refusalsOf(client: Client, { id }: Job): Promise<Refusal[]> {
  const body = await client.get('/api/v1/jobs/{id}/refused', { path: { id }, parseAs: 'stream' });
  const csv = await text(body!);
  // A header, then `row,reason` with quotes where RFC 4180 needs them.
  return [...csv.matchAll(/^(\d+),(?:"((?:[^"]|"")*)"|([^\r\n]*))\r?$/gm)].map(([, row, quoted, plain]) => ({
    row: Number(row),
    reason: quoted?.replaceAll('""', '"') ?? plain ?? '',
  }));
}

function refusalLine({ row, reason }: Refusal): string {
  return refusalText({ row, reason: oneLine(reason) });
}

function previewText(preview: Preview): string {
  const { format, columns, rows } = preview;
  const refusals = rows.flatMap(({ row, error }) => (error === undefined ? [] : [refusalLine({ row, reason: error })]));
  const understood = rows.filter(({ link }) => link !== undefined);
  const links = table(
    [
      { title: 'ROW', value: ({ row }) => row },
      { title: 'SLUG', value: ({ link }) => link?.slug ?? null, min: 12 },
      { title: 'DESTINATION', value: ({ link }) => link?.destination_url ?? null, min: 20 },
      { title: 'TITLE', value: ({ link }) => link?.title ?? null, min: 12, droppedAt: 1 },
    ],
    understood,
  );
  const read = Object.entries(columns).map(([field, column]) => `${field} from ${JSON.stringify(column)}`);
  const summary = `Format: ${format}. Columns: ${read.join(', ') || 'none'}.`;
  return [...(understood.length > 0 ? [links] : []), ...refusals, ...importNotes(preview), summary].join('\n');
}
