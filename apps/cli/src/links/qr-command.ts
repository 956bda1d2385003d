import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { print } from '@waymark/terminal';
import type { Command } from 'commander';
import { queryParameters } from '../api-document.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { connect } from '../connection.ts';
import { addCommand, addFields, sentFields, type Values } from '../options.ts';

const { format: _, ...QUERY } = queryParameters('getQrCode');

/** Adds `links qr`. */
export function addQrCommand(links: Command): void {
  const command = addCommand(links, 'qr <link> <file>', 'write the QR code of a short URL to a .svg or .png file');
  addFields(command, QUERY).action(async (id: string, file: string, values: Values) => {
    const format = extname(file).slice(1).toLowerCase();
    if (format !== 'svg' && format !== 'png')
      throw new CliError(`${JSON.stringify(file)} must end with .svg or .png.`, EXIT.usage);
    const client = await connect();
    const query = { format, ...sentFields(QUERY, values) } as const;
    const image = await client.get('/api/v1/links/{id}/qr', {
      path: { id },
      query,
      parseAs: 'stream',
    });
    await writeFile(file, image);
    print(values.json, { file }, `Wrote ${file}.`);
  });
}
