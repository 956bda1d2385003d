import type { Document, MongoClient } from 'mongodb';

/** A command as the driver sends it. */
export interface SentCommand {
  commandName: string;
  command: Document;
}

/** The shard keys of docs/scaling.md. Every statement on these collections must name them. */
const SHARD_KEYS: Record<string, string> = { links: 'account_id', redirects: '_id', events: '_id' };

/** Commands that do not select documents, or that continue another command. */
const WITHOUT_FILTER = new Set(['insert', 'createIndexes', 'listIndexes', 'dropIndexes', 'getMore', 'killCursors']);

/** Returns the statements of a command, in words, that do not name the shard key of their collection. */
export function unshardedStatements({ commandName, command }: SentCommand): string[] {
  return filtersOf(commandName, command)
    .filter(({ collection, filter }) => {
      const shardKey = SHARD_KEYS[collection];
      return (
        shardKey !== undefined && !isSelected(filter[shardKey]) && !(collection === 'events' && isRange(filter._id))
      );
    })
    .map(({ collection, filter }) => `${commandName} ${collection} ${JSON.stringify(filter)}`);
}

/** Collects the statements of a client, which must monitor its commands, that do not name their shard key. */
export function watchStatements(client: MongoClient): { found: string[] } {
  const watched = { found: [] as string[] };
  client.on('commandStarted', (event) => watched.found.push(...unshardedStatements(event)));
  return watched;
}

interface Selection {
  collection: string;
  filter: Document;
}

function filtersOf(commandName: string, command: Document): Selection[] {
  if (commandName === 'bulkWrite') return bulkFilters(command);
  const collection = command[commandName];
  if (typeof collection !== 'string' || WITHOUT_FILTER.has(commandName)) return [];
  switch (commandName) {
    case 'find':
      return [{ collection, filter: command.filter ?? {} }];
    case 'update':
      return command.updates.map(({ q }: Document) => ({ collection, filter: q }));
    case 'delete':
      return command.deletes.map(({ q }: Document) => ({ collection, filter: q }));
    case 'findAndModify':
      return [{ collection, filter: command.query ?? {} }];
    case 'aggregate':
      return pipelineFilters(collection, command.pipeline);
    default:
      return [{ collection, filter: {} }];
  }
}

/** Each operation names its collection by the position in `nsInfo`. */
function bulkFilters({ ops, nsInfo }: Document): Selection[] {
  const collections = nsInfo.map(({ ns }: { ns: string }) => ns.slice(ns.indexOf('.') + 1));
  return ops
    .filter(({ filter }: Document) => filter !== undefined)
    .map((operation: Document) => ({
      collection: collections[operation.update ?? operation.delete],
      filter: operation.filter,
    }));
}

/** A pipeline selects by its first stage, and so does each pipeline in it. */
function pipelineFilters(collection: string, pipeline: readonly Document[]): Selection[] {
  const filter = pipeline[0]?.$match ?? {};
  const inner = pipeline.flatMap(({ $unionWith }) =>
    $unionWith === undefined ? [] : pipelineFilters($unionWith.coll, $unionWith.pipeline),
  );
  return [{ collection, filter }, ...inner];
}

/** Returns true if a condition is a range with two ends: the log of an account is a range of ids. */
function isRange(condition: unknown): boolean {
  return Object.keys((condition ?? {}) as Document).length === 2;
}

/** Returns true if a condition selects one value or several. */
function isSelected(condition: unknown): boolean {
  if (typeof condition === 'string') return true;
  const values = (condition as Document | undefined)?.$in;
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}
