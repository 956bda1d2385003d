import type { Document, Numeric } from '../bson/values.ts';
import { toNumber } from '../numbers.ts';
import { compileFilter, type Filter } from '../query/filter.ts';

/** One field of an index. */
export interface IndexField {
  path: string;
  components: string[];
}

/** An index of a collection. */
export interface Index {
  /** The first four bytes of the index's keys. */
  id: number;
  name: string;
  /** The normalized specification of `createIndexes`, with `v`, `key` and `name`. */
  specification: Document;
  fields: IndexField[];
  unique: boolean;
  sparse: boolean;
  partial: Filter | undefined;
  /** The top-level fields that decide which keys a document has. */
  reads: readonly string[];
  /** For a TTL index, the seconds after the indexed date at which a document is deleted. */
  expireAfterSeconds: number | undefined;
  /** For each field, whether any document had an array on its path since the index was built. */
  multikey: boolean[];
  /** Whether any key was truncated, so that different values may share it. */
  inexact: boolean;
}

/** Builds an index from its specification and its stored state. */
export function toIndex(id: number, specification: Document, multikey?: boolean[], inexact = false): Index {
  const fields = Object.keys(specification.key as Document).map(
    (path): IndexField => ({ path, components: path.split('.') }),
  );
  const { partialFilterExpression, expireAfterSeconds } = specification;
  const partial =
    partialFilterExpression === undefined ? undefined : compileFilter(partialFilterExpression as Document);
  return {
    id,
    name: specification.name as string,
    specification,
    fields,
    unique: specification.unique === true || specification.name === '_id_',
    sparse: specification.sparse === true,
    partial,
    reads: [...new Set([...fields.map(({ components }) => components[0] as string), ...(partial?.fields ?? [])])],
    expireAfterSeconds: expireAfterSeconds === undefined ? undefined : toNumber(expireAfterSeconds as Numeric),
    multikey: multikey ?? fields.map(() => false),
    inexact,
  };
}
