import Type, { type Static } from 'typebox';
import { AppError } from '../errors.ts';
import { DOMAIN_MAX_LENGTH } from '../links/domain.ts';
import { CreateLinkInput } from '../links/link.ts';
import { oneOf, text, timestamp } from '../text.ts';
import { isRecord } from '../validate.ts';
import { JOB_TITLE_MAX_LENGTH, Job } from './job.ts';

/** The longest file of an import. */
export const IMPORT_MAX_BYTES = 64 * 1_024 * 1_024;
/** How many rows a file has at most. */
export const IMPORT_MAX_ROWS = 1_000_000;
/** How many rows a preview has at most. */
export const IMPORT_PREVIEW_ROWS = 20;
/** The media types of the files that can be imported. */
export const IMPORT_CONTENT_TYPES = ['text/csv', 'application/x-ndjson', 'application/json'] as const;

/** The services whose exports are recognized. */
export const LINK_FILE_FORMATS = ['waymark', 'bitly', 'dub', 'kutt', 'shlink', 'yourls'] as const;
export type LinkFileFormat = (typeof LINK_FILE_FORMATS)[number];
const FORMATS = ['auto', ...LINK_FILE_FORMATS] as const;

/** The query of `POST /api/v1/jobs/import`. */
export const ImportQuery = Type.Object(
  {
    format: oneOf(FORMATS, { default: 'auto', description: 'The service that exported the file; `auto` finds out.' }),
    dry_run: oneOf(['true', 'false'], { default: 'false', description: 'True for a preview, which begins no job.' }),
    host: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: DOMAIN_MAX_LENGTH,
        format: 'host',
        description:
          'The short host of rows that name none: a verified host of the account. Rows name one by a short URL or a column of hosts; one that is no verified host of the account is the default host.',
        examples: ['go.example.com'],
      }),
    ),
    columns: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The column of each field, as a JSON object, for a file of none of these services. Other columns are not used.',
        examples: ['{"destination_url":"Ziel"}'],
      }),
    ),
    name: Type.Optional(
      text(1, JOB_TITLE_MAX_LENGTH, {
        description: 'The name of the file, which becomes the title of the job.',
        examples: ['bitly-export.csv'],
      }),
    ),
  },
  { additionalProperties: false },
);
export type ImportQuery = Static<typeof ImportQuery>;

/** What a client says about a file that it imports. */
export interface ImportOptions {
  format: LinkFileFormat | 'auto';
  columns?: Record<string, string>;
  host?: string;
  name?: string;
  dry_run: boolean;
}

/**
 * Returns what the query of an import says.
 * @throws {AppError} `invalid` if `columns` is no JSON object of texts.
 */
export function checkImportQuery({ columns, dry_run, ...options }: ImportQuery): ImportOptions {
  return { ...options, dry_run: dry_run === 'true', ...(columns !== undefined && { columns: columnsOf(columns) }) };
}

function columnsOf(text: string): Record<string, string> {
  const columns = parsed(text);
  if (isRecord(columns) && Object.values(columns).every((name) => typeof name === 'string'))
    return columns as Record<string, string>;
  throw new AppError('invalid', '"columns" must be a JSON object of texts, such as {"destination_url":"Ziel"}.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const { auto_meta: _autoMeta, password: _password, ...fields } = CreateLinkInput.properties;

/** The response of a dry run of an import: the first rows, and what was found about the whole file. */
export const ImportPreview = Type.Object(
  {
    format: oneOf(FORMATS, {
      description: 'The service that exported the file; `auto` if only its columns are known.',
      examples: ['bitly'],
    }),
    columns: Type.Unsafe<Record<string, string>>(
      Type.Object(
        {},
        {
          additionalProperties: Type.String(),
          description: 'The column of each field.',
          examples: [{ destination_url: 'Long URL', title: 'Title' }],
        },
      ),
    ),
    rows: Type.Array(
      Type.Object(
        {
          row: Type.Integer({ minimum: 1, description: 'The line where the row begins.', examples: [2] }),
          link: Type.Optional(
            Type.Object(
              {
                ...fields,
                created_at: Type.Optional(
                  timestamp({ description: 'When the link was created.', examples: ['2024-03-01T10:00:00.000Z'] }),
                ),
              },
              { additionalProperties: false, description: 'The link that would be created.' },
            ),
          ),
          error: Type.Optional(
            Type.String({ description: 'Why the row would be refused.', examples: ['"destination_url" is required.'] }),
          ),
        },
        { additionalProperties: false, description: 'A row of the file: a link, or what is wrong with it.' },
      ),
      { maxItems: IMPORT_PREVIEW_ROWS, description: 'The first rows.' },
    ),
    encoding: Type.Optional(
      Type.String({
        description: 'The encoding that the file is read with, if it is not UTF-8.',
        examples: ['windows-1252'],
      }),
    ),
    unused_columns: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: 'The columns of the file that are not imported, if there are any.',
        examples: [['Engagements']],
      }),
    ),
  },
  { additionalProperties: false, description: 'The beginning of a file as an import would understand it.' },
);
export type ImportPreview = Static<typeof ImportPreview>;

/**
 * The body of a `200` or `202`, for the OpenAPI document. Some generators have one type for all responses, and take that of
 * the `200`.
 */
export const ImportAnswer = Type.Unsafe<ImportPreview | Job>({
  oneOf: [ImportPreview, Job],
  description: 'A preview, or a job.',
});
