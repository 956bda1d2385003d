import { Readable } from 'node:stream';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportHeader,
  exportLines,
  type Job,
  LINK_FILE_FORMATS,
} from '@waymark/contract';
import { linkFromMessage } from '@waymark/proto';
import { importNotes, importSummary, print, refusalText, showProgress, writeWhole } from '@waymark/terminal';
import { Command, Option } from 'commander';
import { AdminError } from './admin-error.ts';
import { type Links, TRANSFER_MAX_MS, withServices } from './connection.ts';
import { type BegunImport, beginImport } from './links/begin-import.ts';
import { readRefusedRows, watchImport } from './links/watch-import.ts';
import { jsonOption, usernameOption } from './options.ts';

interface TransferOptions {
  username: string;
  file: string;
  json?: boolean;
}

interface ImportCommandOptions extends TransferOptions {
  format: string;
  host?: string;
  charset?: string;
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
    .addOption(
      new Option('--format <format>', 'the service that exported the file; auto finds out')
        .choices(['auto', ...LINK_FILE_FORMATS])
        .default('auto'),
    )
    .addOption(new Option('--host <name>', 'the short host of rows that name none: a verified host of the account'))
    .addOption(new Option('--charset <name>', 'the encoding of a file that is neither UTF-8 nor UTF-16'))
    .addOption(jsonOption())
    .action(({ username, file, format, host, charset, json }: ImportCommandOptions) =>
      withServices(async ({ jobs }, callOptions) => {
        const begun = await beginImport(jobs, await callOptions(), { username, file, format, host, charset });
        const progress = showProgress(json);
        const watched = { username, job: begun.job };
        const onProgress = ({ done, matched }: Job) => progress.show(`${done} of ${matched} links`, done);
        const job = await watchImport(jobs, callOptions, watched, onProgress).finally(() => progress.clear());
        await readRefusedRows(jobs, callOptions, watched, ({ row, reason }) =>
          print(json, { line: row, error: reason }, refusalText({ row, reason })),
        );
        printNotes(json, begun, job);
        const { matched: rows, created, unchanged: existing, refused } = job;
        print(json, { rows, created, existing, refused }, importSummary(job));
        if (refused > 0) process.exitCode = 1;
        if (job.state !== 'done') throw unfinished(job);
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
        const text = linesOf(
          links.exportLinks({ username }, { ...(await callOptions()), timeoutMs: TRANSFER_MAX_MS }),
          {
            format: format ?? (file.endsWith('.csv') ? 'csv' : 'ndjson'),
            onLinks: (more) => {
              count += more;
              progress.show(`${count} links`, count);
            },
          },
        );
        await writeWhole(Readable.from(text), file).finally(() => progress.clear());
        print(json, { links: count, file }, `Exported ${count} links to ${file}.`);
      }),
    );
  return links;
}

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

/** Prints what links-svc found out about the file, which columns it did not use, and what to know about the job. */
function printNotes(json: boolean | undefined, { guessedEncoding, unusedColumns }: BegunImport, job: Job): void {
  const notes = {
    ...(guessedEncoding !== '' && { encoding: guessedEncoding }),
    ...(unusedColumns.length > 0 && { unused_columns: unusedColumns }),
    ...(job.notice !== undefined && { notice: job.notice }),
  };
  for (const [name, note] of Object.entries(notes)) print(json, { [name]: note }, importNotes({ [name]: note })[0]!);
}

function unfinished({ state, done, matched }: Job): AdminError {
  const end = state === 'cancelled' ? 'was cancelled' : 'failed';
  return new AdminError(`The import ${end} after ${done} of ${matched} links. Run the command again to go on.`);
}
