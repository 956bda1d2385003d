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
  const { partialFilterExpression: partial, expireAfterSeconds } = specification;
  return {
    id,
    name: specification.name as string,
    specification,
    fields,
    unique: specification.unique === true || specification.name === '_id_',
    sparse: specification.sparse === true,
    partial: partial === undefined ? undefined : compileFilter(partial as Document),
    expireAfterSeconds: expireAfterSeconds === undefined ? undefined : toNumber(expireAfterSeconds as Numeric),
    multikey: multikey ?? fields.map(() => false),
    inexact,
  };
}
