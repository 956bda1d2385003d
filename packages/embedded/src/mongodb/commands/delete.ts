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
    let n = 0;
    const errors = runStatements(statements, isOrdered(request), (statement) => {
      n += deleteMatches(request, statement);
    });
    return { n, ...withErrors(errors), ok: OK };
  },
};

function deleteMatches(request: Request, statement: Document): number {
  const query = requiredDocument(statement, 'q', 'delete.deletes');
  const limit = isNumeric(statement.limit) ? toNumber(statement.limit) : Number.NaN;
  if (limit !== 0 && limit !== 1) throw failedToParse('The limit field in delete objects must be 0 or 1');
  const collection = request.view.catalog.find(namespaceOf(request));
  if (!collection) return 0;
  const { matches } = findMatches(request, collection, query, limit);
  for (const { record, bytes } of matches) collection.remove(record, decode(bytes));
  return matches.length;
}
