import { encode } from '../bson/bson.ts';
import { type Document, isDocument, isNumeric, render } from '../bson/values.ts';
import { CommandError, notSupported } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { compileFilter } from '../query/filter.ts';
import { componentsOf } from '../query/path.ts';
import type { Collection } from '../storage/collection.ts';
import type { Index } from '../storage/indexes.ts';
import { OK } from './ok.ts';
import { arrayField, type Command, countField, documentField, flagField, namespaceOf } from './request.ts';
import { firstReply, resultsOf } from './results.ts';

const SPECIFICATION_FIELDS = ['key', 'name', 'unique', 'sparse', 'partialFilterExpression', 'expireAfterSeconds'];

export const createIndexes: Command = {
  fields: ['indexes'],
  writes: true,
  run(request) {
    const namespace = namespaceOf(request);
    const { catalog } = request.view;
    const specifications = (arrayField(request.body, 'indexes') ?? []).map(normalize);
    if (specifications.length === 0) throw new CommandError(2, 'Must specify at least one index to create');
    const createdCollectionAutomatically = catalog.find(namespace) === undefined;
    const collection = catalog.getOrCreate(namespace);
    const numIndexesBefore = collection.indexes.length;
    const added: Index[] = [];
    try {
      for (const specification of specifications) {
        if (isThere(collection, specification)) continue;
        const index = catalog.newIndex(specification);
        collection.addIndex(index);
        added.push(index);
      }
    } catch (error) {
      for (const index of added) collection.dropIndex(index); // either all indexes of the command or none
      throw error;
    }
    const numIndexesAfter = collection.indexes.length;
    return { numIndexesBefore, numIndexesAfter, createdCollectionAutomatically, ok: OK };
  },
};

/** Returns the specification in its stored form. Throws MongoDB's error for anything invalid or unsupported. */
function normalize(specification: unknown): Document {
  if (!isDocument(specification)) throw new CommandError(14, 'The elements of the indexes array must be objects');
  for (const name of Object.keys(specification)) {
    if (!SPECIFICATION_FIELDS.includes(name))
      throw new CommandError(
        197,
        `The field '${name}' is not valid for an index specification. Specification: ${render(specification)}`,
      );
  }
  const key = documentField(specification, 'key');
  const { name } = specification;
  if (!key) throw new CommandError(9, "The 'key' field is a required property of an index specification");
  if (typeof name !== 'string' || name === '')
    throw new CommandError(9, "The 'name' field is a required property of an index specification");
  checkKey(key);
  const normalized: Document = { v: 2, key, name };
  if (flagField(specification, 'unique')) normalized.unique = true;
  if (flagField(specification, 'sparse')) normalized.sparse = true;
  const partial = documentField(specification, 'partialFilterExpression');
  if (partial) {
    checkPartial(partial);
    if (normalized.sparse) throw new CommandError(67, 'cannot mix "partialFilterExpression" and "sparse" options');
    normalized.partialFilterExpression = partial;
  }
  const seconds = countField(specification, 'expireAfterSeconds');
  if (seconds === undefined) return normalized;
  if (Object.keys(key).length !== 1)
    throw new CommandError(67, 'TTL indexes are single-field indexes, compound indexes do not support TTL.');
  return { ...normalized, expireAfterSeconds: seconds };
}

function checkKey(key: Document): void {
  const entries = Object.entries(key);
  if (entries.length === 0) throw new CommandError(67, 'Index keys cannot be an empty object.');
  for (const [path, direction] of entries) {
    componentsOf(path);
    if (typeof direction === 'string') throw new CommandError(67, `Unknown index plugin '${direction}'`);
    if (!isNumeric(direction) || toNumber(direction) !== 1)
      throw notSupported(`an index key of ${render(direction)}, which is not 1,`);
  }
}

function checkPartial(filter: Document): void {
  const { conditionsAreAll } = compileFilter(filter);
  if (!conditionsAreAll) throw new CommandError(67, `Expression not supported in partial index: ${render(filter)}`);
}

/** Returns whether the index exists already; throws 85 or 86 if it conflicts with an existing one. */
function isThere(collection: Collection, wanted: Document): boolean {
  const named = collection.findIndex(wanted.name as string);
  if (named) {
    if (encode(named.specification).equals(encode(wanted))) return true;
    throw new CommandError(
      86,
      `An existing index has the same name as the requested index. Requested index: ${render(wanted)}, existing index: ${render(named.specification)}`,
    );
  }
  const key = encode(wanted.key as Document);
  const other = collection.indexes.find(({ specification }) => encode(specification.key as Document).equals(key));
  if (other) throw new CommandError(85, `Index already exists with a different name: ${other.name}`);
  return false;
}

export const listIndexes: Command = {
  fields: ['cursor'],
  run(request) {
    const namespace = namespaceOf(request);
    const collection = request.view.catalog.find(namespace);
    if (!collection) throw new CommandError(26, `ns does not exist: ${namespace}`);
    const documents = collection.indexes.map(({ specification }) => encode(specification));
    const batchSize = countField(documentField(request.body, 'cursor') ?? {}, 'batchSize');
    return firstReply(
      request,
      namespace,
      resultsOf(documents.values(), () => undefined),
      batchSize,
    );
  },
};

export const dropIndexes: Command = {
  fields: ['index'],
  writes: true,
  run(request) {
    const namespace = namespaceOf(request);
    const collection = request.view.catalog.find(namespace);
    if (!collection) throw new CommandError(26, `ns not found ${namespace}`);
    if (request.body.index !== '*') throw notSupported('dropping a single index');
    const nIndexesWas = collection.indexes.length;
    for (const index of collection.indexes.slice(1)) collection.dropIndex(index); // the first is that of `_id`
    return { nIndexesWas, ok: OK };
  },
};
