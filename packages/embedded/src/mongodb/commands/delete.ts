import { decode } from '../bson/bson.ts';
import { type Document, isNumeric } from '../bson/values.ts';
import { failedToParse } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { findMatches } from './modify.ts';
import { OK } from './ok.ts';
import { type Command, namespaceOf, type Request, refuseUnknownFields, requiredDocument } from './request.ts';
import { isOrdered, runStatements, statementsOf, withErrors } from './write-errors.ts';

export const deleteCommand: Command = {
  fields: ['deletes', 'ordered'],
  writes: true,
  retryable: true,
  inTransactions: 'statement',
  run(request) {
    const statements = statementsOf<Document>(request.body.deletes, 'delete', 'deletes');
    for (const statement of statements) refuseUnknownFields(statement, ['q', 'limit'], 'delete.deletes');
    const namespace = namespaceOf(request);
    let n = 0;
    const errors = runStatements(statements, isOrdered(request), (statement) => {
      const query = requiredDocument(statement, 'q', 'delete.deletes');
      n += deleteMatches(request, namespace, query, limitOf(statement));
    });
    return { n, ...withErrors(errors), ok: OK };
  },
};

function limitOf(statement: Document): number {
  const limit = isNumeric(statement.limit) ? toNumber(statement.limit) : Number.NaN;
  if (limit !== 0 && limit !== 1) throw failedToParse('The limit field in delete objects must be 0 or 1');
  return limit;
}

/** Deletes what matches, without a limit if it is 0, and returns how many documents that were. */
export function deleteMatches(request: Request, namespace: string, query: Document, limit: number): number {
  const collection = request.view.catalog.find(namespace);
  if (!collection) return 0;
  const { matches } = findMatches(request, collection, query, limit);
  for (const { record, bytes } of matches) collection.remove(record, decode(bytes));
  return matches.length;
}
