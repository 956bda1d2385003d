import type { Document } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { compileFilter } from '../query/filter.ts';
import { OK } from './ok.ts';
import { type Command, countField, documentField, flagField, namespaceOf, refuseCollation } from './request.ts';
import { firstReply, listResults } from './results.ts';

export const create: Command = {
  fields: ['collation'],
  writes: true,
  run(request) {
    const namespace = namespaceOf(request);
    refuseCollation(request.body);
    const { catalog } = request.state.store;
    // MongoDB lets the same collection be created again with the same options; there are none here.
    catalog.getOrCreate(namespace);
    return { ok: OK };
  },
};

export const drop: Command = {
  fields: [],
  writes: true,
  run(request) {
    const namespace = namespaceOf(request);
    const { catalog } = request.state.store;
    const collection = catalog.find(namespace);
    if (!collection) return { ok: OK }; // since MongoDB 7.0 no error
    const nIndexesWas = collection.indexes.length;
    catalog.drop(collection);
    return { nIndexesWas, ns: namespace, ok: OK };
  },
};

export const dropDatabase: Command = {
  fields: [],
  writes: true,
  run(request) {
    const { catalog } = request.state.store;
    const collections = catalog.list(request.database);
    for (const collection of collections) catalog.drop(collection);
    return collections.length > 0 ? { dropped: request.database, ok: OK } : { ok: OK };
  },
};

export const listCollections: Command = {
  fields: ['filter', 'nameOnly', 'cursor', 'authorizedCollections'],
  run(request) {
    const filter = compileFilter(documentField(request.body, 'filter') ?? {});
    const nameOnly = flagField(request.body, 'nameOnly') ?? false;
    const entries = request.state.store.catalog.list(request.database).map(
      (collection): Document => ({
        name: collection.name,
        type: 'collection',
        options: {},
        info: { readOnly: false, uuid: collection.uuid },
        idIndex: collection.findIndex('_id_')?.specification,
      }),
    );
    const found = entries
      .filter((entry) => filter.test(entry))
      .map((entry) => (nameOnly ? { name: entry.name, type: entry.type } : entry));
    const batchSize = countField(documentField(request.body, 'cursor') ?? {}, 'batchSize');
    return firstReply(request, `${request.database}.$cmd.listCollections`, listResults(found), batchSize, false);
  },
};

export const listDatabases: Command = {
  fields: ['filter', 'nameOnly', 'authorizedDatabases'],
  run(request) {
    if (request.database !== 'admin')
      throw new CommandError(13, 'listDatabases may only be run against the admin database.');
    const filter = compileFilter(documentField(request.body, 'filter') ?? {});
    const names = new Set(
      request.state.store.catalog.all().map(({ namespace }) => namespace.slice(0, namespace.indexOf('.'))),
    );
    const databases = [...names].sort().map((name): Document => {
      const bytes = request.state.store.catalog
        .list(name)
        .reduce((total, collection) => total + collection.dataBytes(), 0);
      return { name, sizeOnDisk: BigInt(bytes), empty: false };
    });
    const found = databases.filter((entry) => filter.test(entry));
    if (flagField(request.body, 'nameOnly')) return { databases: found.map(({ name }) => ({ name })), ok: OK };
    const totalSize = found.reduce((total, { sizeOnDisk }) => total + (sizeOnDisk as bigint), 0n);
    return { databases: found, totalSize, totalSizeMb: totalSize / 1_048_576n, ok: OK };
  },
};
