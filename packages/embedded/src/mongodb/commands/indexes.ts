import { equalValues } from '../bson/compare.ts';
import { type Document, isDocument, isNumeric, render, typeName } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { fromInteger, toNumber } from '../numbers.ts';
import { compileFilter } from '../query/filter.ts';
import { isArrayIndex } from '../query/path.ts';
import type { Collection } from '../storage/collection.ts';
import type { Index } from '../storage/indexes.ts';
import { OK } from './ok.ts';
import {
  arrayField,
  type Command,
  countField,
  documentField,
  flagField,
  namespaceOf,
  type Request,
} from './request.ts';
import { firstReply, listResults } from './results.ts';

const SPECIFICATION_FIELDS = [
  'v',
  'key',
  'name',
  'unique',
  'sparse',
  'partialFilterExpression',
  'expireAfterSeconds',
  'background',
  'collation',
  'ns',
];
/** What makes two indexes on the same fields different indexes. */
const IDENTITY_FIELDS = ['key', 'partialFilterExpression'];
const OPTION_FIELDS = ['unique', 'sparse', 'expireAfterSeconds'];
const MAX_INDEXES = 64;

export const createIndexes: Command = {
  fields: ['indexes', 'commitQuorum'],
  writes: true,
  run(request) {
    const namespace = namespaceOf(request);
    const { catalog } = request.state.store;
    const specifications = (arrayField(request.body, 'indexes') ?? []).map(normalize);
    if (specifications.length === 0) throw new CommandError(2, 'Must specify at least one index to create');
    const createdCollectionAutomatically = catalog.find(namespace) === undefined;
    const collection = catalog.getOrCreate(namespace);
    const numIndexesBefore = collection.indexes.length;
    const added: Index[] = [];
    try {
      for (const specification of specifications) {
        if (findSame(collection, specification)) continue;
        if (collection.indexes.length >= MAX_INDEXES)
          throw new CommandError(
            67,
            `add index fails, too many indexes for ${namespace} key:${render(specification.key)}`,
          );
        const index = catalog.newIndex(specification);
        collection.addIndex(index);
        added.push(index);
      }
    } catch (error) {
      for (const index of added) collection.dropIndex(index); // all of the command or nothing
      throw error;
    }
    return {
      numIndexesBefore,
      numIndexesAfter: collection.indexes.length,
      createdCollectionAutomatically,
      ...(added.length === 0 ? { note: 'all indexes already exist' } : {}),
      ok: OK,
    };
  },
};

/** The specification as it is kept, or MongoDB's error for what is wrong or not supported in it. */
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
  if (typeof name !== 'string' || name === '' || name === '*')
    throw new CommandError(9, "The 'name' field is a required property of an index specification");
  checkKey(key);
  const collation = documentField(specification, 'collation');
  if (collation && Object.keys(collation).length > 0 && collation.locale !== 'simple') {
    throw new CommandError(67, "index collation is not supported by this server; only {locale: 'simple'}");
  }
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
  if (seconds !== undefined) {
    if (Object.keys(key).length !== 1 || '_id' in key)
      throw new CommandError(
        67,
        'TTL indexes are single-field indexes, compound indexes do not support TTL. The field _id cannot be one',
      );
    if (seconds > 2 ** 31 - 1)
      throw new CommandError(
        67,
        `TTL index 'expireAfterSeconds' option must be within an acceptable range, try a lower number. Specified value: ${seconds}`,
      );
    normalized.expireAfterSeconds = fromInteger(seconds);
  }
  return normalized;
}

function checkKey(key: Document): void {
  const entries = Object.entries(key);
  if (entries.length === 0) throw new CommandError(67, 'Index keys cannot be an empty object.');
  if (entries.length > 32) throw new CommandError(13103, 'Index key pattern has too many fields; the maximum is 32');
  for (const [path, direction] of entries) {
    if (typeof direction === 'string') throw new CommandError(67, `Unknown index plugin '${direction}'`);
    if (!isNumeric(direction))
      throw new CommandError(
        67,
        `Values in v:2 index key pattern cannot be of type ${typeName(direction)}. Only numbers > 0, numbers < 0, and strings are allowed.`,
      );
    const number = toNumber(direction);
    if (!(number > 0 || number < 0)) throw new CommandError(67, 'Values in the index key pattern cannot be 0.');
    const components = path.split('.');
    if (components.includes('')) throw new CommandError(67, 'Index keys cannot contain an empty field.');
    if (components.some((component) => component.startsWith('$')))
      throw new CommandError(67, `Index key contains an illegal field name: field name starts with '$'.`);
    if (components.some(isArrayIndex))
      throw new CommandError(67, 'index paths with a number in them are not supported by this server');
  }
}

const PARTIAL_OPERATORS = new Set(['$eq', '$in', '$gt', '$gte', '$lt', '$lte', '$exists', '$type']);

function checkPartial(filter: Document): void {
  for (const [name, value] of Object.entries(filter)) {
    if ((name === '$and' || name === '$or') && Array.isArray(value))
      for (const clause of value) checkPartial(clause as Document);
    else if (name.startsWith('$')) throw new CommandError(67, `Expression not supported in partial index: ${name}`);
    else if (isDocument(value)) {
      for (const [operator, operand] of Object.entries(value)) {
        const isSupported =
          !operator.startsWith('$') ||
          (PARTIAL_OPERATORS.has(operator) && !(operator === '$exists' && operand === false));
        if (!isSupported) throw new CommandError(67, `Expression not supported in partial index: ${operator}`);
      }
    }
  }
  compileFilter(filter);
}

/** Whether the index exists already; throws 85 or 86 where one stands in its way. */
function findSame(collection: Collection, wanted: Document): boolean {
  const same = (index: Index, fields: readonly string[]) =>
    fields.every((field) => {
      const [a, b] = [index.specification[field], wanted[field]];
      return a === undefined || b === undefined ? a === b : equalValues(a, b);
    });
  const { key: idKey } = wanted;
  if (
    isDocument(idKey) &&
    Object.keys(idKey).join() === '_id' &&
    wanted.partialFilterExpression === undefined &&
    equalValues(idKey, { _id: 1 })
  )
    return true;
  const named = collection.findIndex(wanted.name as string);
  if (named) {
    if (!same(named, IDENTITY_FIELDS)) {
      throw new CommandError(
        86,
        `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ${render(wanted)}, existing index: ${render(named.specification)}`,
      );
    }
    if (!same(named, OPTION_FIELDS)) {
      throw new CommandError(
        85,
        `An equivalent index already exists with the same name but different options. Requested index: ${render(wanted)}, existing index: ${render(named.specification)}`,
      );
    }
    return true;
  }
  const equivalent = collection.indexes.find((index) => same(index, IDENTITY_FIELDS));
  if (!equivalent) return false;
  throw same(equivalent, OPTION_FIELDS)
    ? new CommandError(85, `Index already exists with a different name: ${equivalent.name}`)
    : new CommandError(
        85,
        `An equivalent index already exists with a different name and options. Requested index: ${render(wanted)}, existing index: ${render(equivalent.specification)}`,
      );
}

export const dropIndexes: Command = {
  fields: ['index'],
  writes: true,
  run(request) {
    const namespace = namespaceOf(request);
    const collection = request.state.store.catalog.find(namespace);
    if (!collection) throw new CommandError(26, `ns not found ${namespace}`);
    const nIndexesWas = collection.indexes.length;
    for (const index of indexesToDrop(collection, request.body.index)) collection.dropIndex(index);
    return { nIndexesWas, ok: OK };
  },
};

function indexesToDrop(collection: Collection, wanted: unknown): Index[] {
  if (wanted === '*') return collection.indexes.filter((index) => index.name !== '_id_');
  const list = Array.isArray(wanted) ? wanted : [wanted];
  return list.map((item) => {
    const index = collection.indexes.find(({ name, specification }) =>
      isDocument(item) ? equalValues(specification.key, item) : name === item,
    );
    if (!index)
      throw new CommandError(
        27,
        isDocument(item) ? `can't find index with key: ${render(item)}` : `index not found with name [${String(item)}]`,
      );
    if (index.name === '_id_') throw new CommandError(72, 'cannot drop _id index');
    return index;
  });
}

export const listIndexes: Command = {
  fields: ['cursor', 'includeBuildUUIDs', 'includeIndexBuildInfo'],
  run(request: Request) {
    const namespace = namespaceOf(request);
    const collection = request.state.store.catalog.find(namespace);
    if (!collection) throw new CommandError(26, `ns does not exist: ${namespace}`);
    const batchSize = countField(documentField(request.body, 'cursor') ?? {}, 'batchSize');
    return firstReply(
      request,
      namespace,
      listResults(collection.indexes.map((index) => index.specification)),
      batchSize,
      false,
    );
  },
};
