import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EXPORT_FORMATS, type ExportFormat, exportHeader, exportLines } from '@waymark/contract';
import type { LinkFile } from '@waymark/link-files';
import { linkFromMessage } from '@waymark/proto';
import { Command, Option } from 'commander';
import { type Links, withServices } from './connection.ts';
import { type ImportTotals, importLinks } from './links/import-links.ts';
import { jsonOption, usernameOption } from './options.ts';
import { print, showProgress } from './output.ts';

interface TransferOptions {
  username: string;
  file: string;
  json?: boolean;
}

/** Returns the command `admin links …`. */
export function linksCommand(): Command {
  const links = new Command('links').description('import and export the links of an account');
  links
    .command('import')
    .description(
      'import links from CSV, ndjson or JSON of Waymark, Bitly, Dub, Kutt, Shlink or YOURLS, with their slugs and creation times; it can be repeated and then changes nothing; exits with 1 if a row was refused',
    )
    .addOption(usernameOption())
    .addOption(fileOption())
    .addOption(jsonOption())
    .action(({ username, file, json }: TransferOptions) =>
      withServices(async (services, callOptions) => {
        // An unknown account must be an error even if the file is empty.
        await services.accounts.getAccount({ username }, await callOptions());
        const progress = showProgress(json);
        const { totals, source } = await importLinks(
          services.links,
          callOptions,
          { username, file },
          {
            onRefusal: (line, error) => {
              progress.clear();
              print(json, { line, error }, `line ${line}: ${error}`);
            },
            onProgress: ({ rows }) => progress.show(rows),
          },
        );
        progress.clear();
        printNotes(json, source);
        print(json, totals, summaryOf(totals));
        if (totals.refused > 0) process.exitCode = 1;
      }),
    );
  links
    .command('export')
    .description('export all links of an account, oldest first, to a file')
    .addOption(usernameOption())
    .addOption(fileOption())
    .addOption(
      new Option(
        '--format <format>',
        'the format; without it, csv for a file that ends with .csv, else ndjson',
      ).choices(EXPORT_FORMATS),
    )
    .addOption(jsonOption())
    .action(({ username, file, format, json }: TransferOptions & { format?: ExportFormat }) =>
      withServices(async ({ links }, callOptions) => {
        const progress = showProgress(json);
        let count = 0;
        const text = linesOf(links.exportLinks({ username }, { ...(await callOptions()), timeoutMs: EXPORT_MAX_MS }), {
          format: format ?? (file.endsWith('.csv') ? 'csv' : 'ndjson'),
          onLinks: (more) => {
            count += more;
            progress.show(count);
          },
        });
        // Under another name until it is complete, so that a broken export is not mistaken for a whole one.
        const part = `${file}.part`;
        try {
          await pipeline(Readable.from(text), createWriteStream(part));
          await rename(part, file);
        } finally {
          await rm(part, { force: true });
        }
        progress.clear();
        print(json, { links: count, file }, `Exported ${count} links to ${file}.`);
      }),
    );
  return links;
}

const EXPORT_MAX_MS = 3_600_000;

function fileOption(): Option {
  return new Option('--file <path>', 'the file').makeOptionMandatory();
}

async function* linesOf(
  pieces: ReturnType<Links['exportLinks']>,
  { format, onLinks }: { format: ExportFormat; onLinks(count: number): void },
): AsyncGenerator<string> {
  yield exportHeader(format);
  for await (const { links } of pieces) {
    yield exportLines(format, links.map(linkFromMessage));
    onLinks(links.length);
  }
}

/** Prints what the reader of the file guessed or did not use. */
function printNotes(json: boolean | undefined, { guessedEncoding, unusedColumns }: LinkFile): void {
  if (guessedEncoding !== null)
    print(json, { encoding: guessedEncoding }, `The file is not UTF-8; it was read as ${guessedEncoding}.`);
  if (unusedColumns.length > 0)
    print(json, { unused_columns: unusedColumns }, `Columns that were not imported: ${unusedColumns.join(', ')}.`);
}

function summaryOf({ rows, created, existing, refused }: ImportTotals): string {
  return `Read ${rows} rows: ${created} links created, ${existing} already there, ${refused} refused.`;
}
