import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { print, showProgress, writeWhole } from '@waymark/terminal';
import type { Command } from 'commander';
import { queryParameters } from '../api-document.ts';
import { connect } from '../connection.ts';
import { addCommand, addFields, sentFields, type Values } from '../options.ts';

const QUERY = queryParameters('exportLinks');

/** Adds `links export`. */
export function addExportCommand(links: Command): void {
  const command = addCommand(links, 'export [file]', 'export links, oldest first, to a file or standard output');
  addFields(command, QUERY).action(async (file: string | undefined, values: Values) => {
    const client = await connect();
    const format = file?.endsWith('.csv') ? 'csv' : 'ndjson';
    const query = { format, ...sentFields(QUERY, values) } as const;
    const body = await client.get('/api/v1/links/export', { query, parseAs: 'stream' });
    const source = Readable.fromWeb(body as unknown as ReadableStream);
    if (file === undefined) return void (await pipeline(source, process.stdout, { end: false }));
    const progress = showProgress(values.json);
    let bytes = 0;
    source.on('data', (piece: Buffer) => {
      bytes += piece.length;
      progress.show(sizeText(bytes));
    });
    await writeWhole(source, file).finally(() => progress.clear());
    print(values.json, { file, bytes }, `Exported ${sizeText(bytes)} to ${file}.`);
  });
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
