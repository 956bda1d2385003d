import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Schema } from './api-document.ts';

/** What Commander gives to an action: the option's values by its attribute's names. */
export type Values = Record<string, unknown> & { json?: boolean };

/** Adds a command that has `--json`. */
export function addCommand(parent: Command, nameAndArguments: string, description: string): Command {
  return parent
    .command(nameAndArguments)
    .description(description)
    .option('--json', 'print JSON, and errors as {"error":"…"} on standard error');
}

/** Adds an option for each field of the API. */
export function addFields(command: Command, fields: Record<string, Schema>): Command {
  for (const [name, schema] of Object.entries(fields)) command.addOption(optionOf(name, schema));
  return command;
}

/** Returns the values of those options that were given, by the API's names. */
export function sentFields(fields: Record<string, Schema>, values: Values): Record<string, unknown> {
  const sent: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(fields)) {
    const value = values[optionOf(name, schema).attributeName()];
    if (value !== undefined) sent[name] = value;
  }
  return sent;
}

function optionOf(name: string, schema: Schema): Option {
  const types = [schema.type ?? 'string'].flat();
  const flag = `--${name.replaceAll('_', '-')}`;
  const description = firstSentence(schema.description ?? '');
  if (types.includes('boolean') || schema.enum?.toSorted().join() === 'false,true') {
    return new Option(`${flag} [true|false]`, description).argParser((text) => {
      if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Allowed choices are true, false.');
      return text === 'true';
    });
  }
  const option = new Option(`${flag} <${placeholderOf(types, schema)}>`, description);
  const choices = schema.enum?.map(String);
  if (choices !== undefined) option.choices(choices);
  return option.argParser((text) => {
    if (choices !== undefined && !choices.includes(text))
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return parsed(text, types, schema);
  });
}

function placeholderOf(types: string[], { items }: Schema): string {
  if (types.includes('array')) return items?.type === 'string' ? 'a,b' : 'json';
  if (types.includes('integer') || types.includes('number')) return 'number';
  return types.includes('object') ? 'json' : 'text';
}

/** Returns the value for the API. An empty text empties what may be null. */
function parsed(text: string, types: string[], { items }: Schema): unknown {
  if (text === '' && types.includes('null')) return null;
  if (types.includes('array') && items?.type === 'string')
    return text === '' ? [] : text.split(',').map((one) => one.trim());
  if (types.includes('array') || types.includes('object')) {
    try {
      return JSON.parse(text);
    } catch {
      throw new InvalidArgumentError('It is not JSON.');
    }
  }
  if (types.includes('integer') || types.includes('number')) {
    if (text.trim() === '' || Number.isNaN(Number(text))) throw new InvalidArgumentError('It is not a number.');
    return Number(text);
  }
  return text;
}

/** Returns the first sentence of a description in Markdown, as plain text that begins as ours do. */
function firstSentence(markdown: string): string {
  const sentence = /^.*?[.:;](?= |$)/s.exec(markdown)?.[0] ?? markdown;
  return sentence
    .replaceAll('`', '')
    .replace(/[.:;]$/, '')
    .replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}
