import type { Document } from '../bson/values.ts';
import { compileUpdate } from '../update/update.ts';
import { findMatches, modify, upsert } from './modify.ts';
import { OK } from './ok.ts';
import {
  type Command,
  flagField,
  namespaceOf,
  type Request,
  refuseUnknownFields,
  requiredDocument,
} from './request.ts';
import { isOrdered, runStatements, statementsOf, withErrors } from './write-errors.ts';

const STATEMENT_FIELDS = ['q', 'u', 'multi', 'upsert'];

export const update: Command = {
  fields: ['updates', 'ordered'],
  writes: true,
  retryable: true,
  inTransactions: 'statement',
  run(request) {
    const statements = statementsOf<Document>(request.body.updates, 'update', 'updates');
    for (const statement of statements) refuseUnknownFields(statement, STATEMENT_FIELDS, 'update.updates');
    const namespace = namespaceOf(request);
    const ordered = isOrdered(request);
    let n = 0;
    let nModified = 0;
    const upserted: Document[] = [];
    const errors = runStatements(statements, ordered, (statement, index) => {
      const outcome = updateMatches(request, namespace, statement);
      n += outcome.matched;
      nModified += outcome.modified;
      if (outcome.upserted) {
        n += 1;
        upserted.push({ index, _id: outcome.upserted._id });
      }
    });
    return { n, nModified, ...(upserted.length > 0 ? { upserted } : {}), ...withErrors(errors), ok: OK };
  },
};

interface Outcome {
  matched: number;
  modified: number;
  upserted?: Document;
}

/** Applies the update `u` to what matches the filter `q`: to one document, or to all if the statement says `multi`. */
export function updateMatches(request: Request, namespace: string, statement: Document): Outcome {
  const query = requiredDocument(statement, 'q', 'update.updates');
  const compiled = compileUpdate(statement.u);
  const { catalog } = request.view;
  const collection = catalog.find(namespace);
  const { filter, matches } = findMatches(request, collection, query, flagField(statement, 'multi') ? 0 : 1);
  if (matches.length === 0 && flagField(statement, 'upsert'))
    return { matched: 0, modified: 0, upserted: upsert(catalog.getOrCreate(namespace), query, compiled) };
  let modified = 0;
  for (const match of matches) if (collection && modify(collection, match, compiled, filter)) modified += 1;
  return { matched: matches.length, modified };
}
