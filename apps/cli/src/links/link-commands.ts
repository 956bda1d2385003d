import type { components } from '@waymark/client';
import { print } from '@waymark/terminal';
import type { Command } from 'commander';
import { fieldsOf, queryParameters } from '../api-document.ts';
import { askSecret, confirm } from '../ask.ts';
import { connect } from '../connection.ts';
import { addCommand, addFields, sentFields, type Values } from '../options.ts';
import { counted, withoutScheme } from '../output/print.ts';
import { type Column, details, table } from '../output/table.ts';
import { addExportCommand } from './export-command.ts';
import { addImportCommand } from './import-command.ts';
import { addQrCommand } from './qr-command.ts';

type Link = components['schemas']['Link'];

const LIST = queryParameters('listLinks');
// Passwords would be in the list of processes, and a link has its destination as an argument.
const { password: _, destination_url: __, ...CREATE } = fieldsOf('CreateLinkInput');
const { password: ___, ...UPDATE } = fieldsOf('UpdateLinkInput');
const PASSWORD = ['--password', 'ask for the password of the link, or read it from standard input'] as const;

/** Adds `links …`. */
export function addLinkCommands(program: Command): void {
  const links = program.command('links').description('list, change, import and export links');

  addFields(addCommand(links, 'list', 'list and search links').alias('ls'), LIST).action(async (values: Values) => {
    const client = await connect();
    const list = await client.get('/api/v1/links', { query: sentFields(LIST, values) });
    print(values.json, list, listText(list, values.fields !== undefined));
  });

  addCommand(links, 'get <link>', 'show a link: its id, slug or short URL').action(
    async (id: string, { json }: Values) => {
      const client = await connect();
      const link = await client.get('/api/v1/links/{id}', { path: { id } });
      print(json, link, linkText(link));
    },
  );

  addFields(addCommand(links, 'create <destination_url>', 'create a link, and print its short URL'), CREATE)
    .option(...PASSWORD)
    .action(async (destination_url: string, values: Values) => {
      const client = await connect();
      const body = { destination_url, ...sentFields(CREATE, values), ...(await passwordOf(values)) };
      const link = await client.post('/api/v1/links', { body });
      print(values.json, link, link.short_url);
    });

  addFields(addCommand(links, 'update <link>', 'change fields of a link; an empty text empties a field'), UPDATE)
    .option(...PASSWORD)
    .action(async (id: string, values: Values) => {
      const client = await connect();
      const body = { ...sentFields(UPDATE, values), ...(await passwordOf(values)) };
      const link = await client.put('/api/v1/links/{id}', { path: { id }, body });
      print(values.json, link, linkText(link));
    });

  addCommand(links, 'delete <link>', 'delete a link for good, with its clicks')
    .option('--yes', 'do not ask')
    .action(async (id: string, { yes, json }: Values) => {
      const client = await connect();
      const sent = { path: { id } };
      if (!yes) {
        const { short_url, clicks } = await client.get('/api/v1/links/{id}', sent);
        await confirm(`Delete ${short_url} and its ${counted(clicks, 'click')} for good?`);
      }
      await client.delete('/api/v1/links/{id}', sent);
      print(json, { id, deleted: true }, `Deleted ${id}.`);
    });

  addImportCommand(links);
  addExportCommand(links);
  addQrCommand(links);
}

async function passwordOf({ password }: Values): Promise<{ password?: string }> {
  return password ? { password: await askSecret('Password of the link: ') } : {};
}

/** The fields that name a link. One of them is enough. */
const NAMES = ['short_url', 'slug', 'id'];
const NAME: Column<Partial<Link>> = {
  title: 'LINK',
  value: ({ short_url, slug, id }) => withoutScheme(short_url ?? slug ?? id ?? ''),
  min: 32,
};
/** The columns of a list, by the field that they show. */
const COLUMNS: Record<string, Column<Partial<Link>>> = {
  clicks: { title: 'CLICKS', value: ({ clicks }) => clicks ?? null },
  destination_url: {
    title: 'DESTINATION',
    value: ({ destination_url }) => withoutScheme(destination_url ?? ''),
    min: 20,
  },
  title: { title: 'TITLE', value: ({ title }) => title ?? null, min: 14, droppedAt: 1 },
  hashtags: {
    title: 'HASHTAGS',
    value: ({ hashtags }) => (hashtags ?? []).map((one) => `#${one}`).join(' '),
    min: 12,
    droppedAt: 2,
  },
  visibility: { title: 'VISIBILITY', value: ({ visibility }) => visibility ?? null, droppedAt: 4 },
  created_at: { title: 'CREATED', value: ({ created_at }) => created_at?.slice(0, 10) ?? null, droppedAt: 3 },
};

/** Returns the columns of the fields that somebody chose. */
function chosenColumns(link: Partial<Link>): Column<Partial<Link>>[] {
  const fields = Object.keys(link).filter((name) => !NAMES.includes(name)) as (keyof Link)[];
  return fields.map(
    (name) =>
      COLUMNS[name] ?? {
        title: name.replaceAll('_', ' ').toUpperCase(),
        value: (one) => shown(one[name]),
        min: 12,
      },
  );
}

function listText(list: components['schemas']['LinkList'], areFieldsChosen: boolean): string {
  const { links, page, per, total, total_pages, notice } = list;
  const columns = areFieldsChosen && links.length > 0 ? chosenColumns(links[0]!) : Object.values(COLUMNS);
  const lines = links.length === 0 ? [] : [table([NAME, ...columns], links)];
  const from = (page - 1) * per + 1;
  const range = links.length === total || links.length === 0 ? '' : `${from}–${from + links.length - 1} of `;
  const more = page < total_pages ? `; --page ${page + 1} shows more` : '';
  lines.push(`${range}${counted(total, 'link')}${more}.`);
  if (notice !== undefined) lines.push(notice);
  return lines.join('\n');
}

/** Returns every field of a link that is not empty. */
function linkText(link: Link): string {
  const entries = Object.entries(link).map(([name, value]: [string, unknown]) => [
    name.replaceAll('_', ' '),
    shown(value),
  ]);
  return details(Object.fromEntries(entries));
}

/** Returns the parts of an object that are there, such as `state broken, status 404`. */
function partsOf(value: object): string {
  const filled = Object.entries(value).filter(([, part]) => part !== null);
  return filled.map(([name, part]) => `${name.replaceAll('_', ' ')} ${part}`).join(', ');
}

function shown(value: unknown): string | number | null {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  if (value === false || (Array.isArray(value) && value.length === 0)) return null;
  if (Array.isArray(value)) return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) return partsOf(value);
  return typeof value === 'boolean' ? 'yes' : (value as string | number | null);
}
