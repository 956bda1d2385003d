import { decodeDocument } from '../bson/decode.ts';
import { type Document, isNumeric } from '../bson/values.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { fromInteger, toNumber } from '../numbers.ts';
import { compileFilter } from '../query/filter.ts';
import { hintOf } from './find.ts';
import { findMatches } from './modify.ts';
import { OK } from './ok.ts';
import {
  type Command,
  documentField,
  flagField,
  namespaceOf,
  type Request,
  refuseCollation,
  refuseUnknownFields,
} from './request.ts';
import { runStatements, statementsOf, withErrors } from './write-errors.ts';

export const deleteCommand: Command = {
  fields: ['deletes', 'ordered', 'let'],
  writes: true,
  retryable: true,
  run(request) {
    const statements = statementsOf<Document>(request.body.deletes, 'delete', 'deletes');
    for (const statement of statements)
      refuseUnknownFields(statement, ['q', 'limit', 'hint', 'collation'], 'delete.deletes');
    let n = 0;
    const errors = runStatements(statements, flagField(request.body, 'ordered') ?? true, (statement) => {
      n += deleteMatches(request, statement);
    });
    return { n: fromInteger(n), ...withErrors(errors), ok: OK };
  },
};

function deleteMatches(request: Request, statement: Document): number {
  refuseCollation(statement);
  const query = documentField(statement, 'q');
  if (!query) throw new CommandError(40414, "BSON field 'delete.deletes.q' is missing but a required field");
  const limit = isNumeric(statement.limit) ? toNumber(statement.limit) : Number.NaN;
  if (limit !== 0 && limit !== 1) throw failedToParse('The limit field in delete objects must be 0 or 1');
  const filter = compileFilter(query, documentField(request.body, 'let') ?? {});
  const collection = request.state.store.catalog.find(namespaceOf(request));
  if (!collection) return 0;
  const find = { filter, sort: [], skip: 0, limit, hint: hintOf(statement), deadline: request.deadline };
  const matches = findMatches(request.state.store, collection, find);
  for (const { record, bytes } of matches) collection.remove(record, decodeDocument(bytes));
  return matches.length;
}
