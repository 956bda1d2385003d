import { OK } from './ok.ts';
import type { Command } from './request.ts';

export const dropDatabase: Command = {
  fields: [],
  writes: true,
  run(request) {
    const { catalog } = request.view;
    const collections = catalog.list(request.database);
    for (const collection of collections) catalog.drop(collection);
    return collections.length > 0 ? { dropped: request.database, ok: OK } : { ok: OK };
  },
};
