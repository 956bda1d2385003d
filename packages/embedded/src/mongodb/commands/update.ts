import { type Document, isDocument } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { fromInteger } from '../numbers.ts';
import type { Find } from '../query/execution.ts';
import { compileFilter } from '../query/filter.ts';
import { compileUpdate } from '../update/update.ts';
import { hintOf } from './find.ts';
import { checkMulti, findMatches, modify, upsert } from './modify.ts';
import { OK } from './ok.ts';
import {
  arrayField,
  type Command,
  documentField,
  flagField,
  namespaceOf,
  type Request,
  refuseCollation,
  refuseUnknownFields,
} from './request.ts';
import { runStatements, statementsOf, withErrors } from './write-errors.ts';

const STATEMENT_FIELDS = ['q', 'u', 'multi', 'upsert', 'arrayFilters', 'hint', 'collation', 'c'];

export const update: Command = {
  fields: ['updates', 'ordered', 'bypassDocumentValidation', 'let'],
  writes: true,
  retryable: true,
  run(request) {
    const statements = statementsOf<Document>(request.body.updates, 'update', 'updates');
    for (const statement of statements) refuseUnknownFields(statement, STATEMENT_FIELDS, 'update.updates');
    const ordered = flagField(request.body, 'ordered') ?? true;
    let n = 0;
    let nModified = 0;
    const upserted: Document[] = [];
    const errors = runStatements(statements, ordered, (statement, index) => {
      const outcome = updateOne(request, statement);
      n += outcome.matched;
      nModified += outcome.modified;
      if (outcome.upserted) {
        n += 1;
        upserted.push({ index, _id: outcome.upserted._id });
      }
    });
    return {
      n: fromInteger(n),
      nModified: fromInteger(nModified),
      ...(upserted.length > 0 ? { upserted } : {}),
      ...withErrors(errors),
      ok: OK,
    };
  },
};

function updateOne(request: Request, statement: Document): { matched: number; modified: number; upserted?: Document } {
  refuseCollation(statement);
  const query = documentField(statement, 'q');
  if (!query) throw new CommandError(40414, "BSON field 'update.updates.q' is missing but a required field");
  const multi = flagField(statement, 'multi') ?? false;
  const variables = { ...documentField(request.body, 'let'), ...(isDocument(statement.c) ? statement.c : {}) };
  const compiled = compileUpdate(statement.u, arrayField(statement, 'arrayFilters'), variables);
  checkMulti(compiled, multi);
  const find: Find = {
    filter: compileFilter(query, variables),
    sort: [],
    skip: 0,
    limit: multi ? 0 : 1,
    hint: hintOf(statement),
    deadline: request.deadline,
  };
  const { catalog } = request.state.store;
  const namespace = namespaceOf(request);
  const collection = catalog.find(namespace);
  const matches = collection ? findMatches(request.state.store, collection, find) : [];
  if (matches.length === 0 && flagField(statement, 'upsert')) {
    return { matched: 0, modified: 0, upserted: upsert(catalog.getOrCreate(namespace), query, compiled) };
  }
  let modified = 0;
  for (const match of matches) if (collection && modify(collection, match, compiled, find).changed) modified += 1;
  return { matched: matches.length, modified };
}
