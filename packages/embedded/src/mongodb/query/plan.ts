import type { Index } from '../storage/indexes.ts';
import type { PathCondition } from './filter.ts';

/** A range of stored keys, `end` excluded. */
export interface Segment {
  start: Buffer;
  end: Buffer;
  /** The number of bytes that all keys of the segment share: the index and its fields with a given value. */
  prefix: number;
}

export interface CollectionPlan {
  kind: 'collection';
  /** True for an empty filter: no document needs to be tested. */
  exact: boolean;
  sorted: boolean;
}

export interface IndexPlan {
  kind: 'index';
  index: Index;
  segments: Segment[];
  reverse: boolean;
  /** Whether every key in the segments is a match, so that no document needs to be tested. */
  exact: boolean;
  /** Whether the keys are in the order of the sort. */
  sorted: boolean;
  /** Whether they are in that order if the segments are merged by what follows their prefixes. */
  merged: boolean;
  /** Whether a document may appear more than once. */
  repeats: boolean;
  /** The conditions of the filter that became bounds. */
  used: ReadonlySet<PathCondition>;
  /** Whether each segment has at most one document. */
  isUnique: boolean;
  /** Plans in another order that know other conditions: if few documents of this plan match, they say which. */
  narrow?: IndexPlan[];
}

export type Plan = CollectionPlan | IndexPlan;
