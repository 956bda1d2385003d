import type {
  CreateLinkInput,
  JobChange,
  JobFilter,
  JobKind,
  JobState,
  LinkFileFormat,
  Scope,
} from '@waymark/contract';
import type { Actor } from './event.ts';
import type { LinkFields } from './link.ts';

/** A row of a file: the link that it describes, or why it cannot be taken. Several links of a row have its number. */
export type StoredRow = { row: number } & ({ link: RowLink } | { error: string });

/** A link that existed elsewhere. Its fields are valid. */
export interface RowLink {
  input: CreateLinkInput;
  /** Null if it is not known. */
  created_at: Date | null;
}

/** What a file says besides its rows. */
export interface ReadFile {
  format: LinkFileFormat | 'auto';
  encoding: string;
  unused_columns: string[];
}

/** How many links each kind of outcome has. */
export interface JobCounts {
  matched: number;
  done: number;
  created: number;
  changed: number;
  deleted: number;
  unchanged: number;
  refused: number;
}

/** A job as it is stored. */
export interface JobDocument extends JobCounts {
  /** Begins with the account and the time, like that of a link. */
  _id: string;
  account_id: string;
  kind: JobKind;
  state: JobState;
  dry_run: boolean;
  /** Missing in a job that began before jobs had titles. */
  title?: string;
  /** The scope of the key that began it. What this key does not see, the job does not see. */
  scope: Scope;
  /** The restricted key that began it. The job sees no link that has not its hashtag. */
  key?: { id: string; hashtag: string | null };
  /** Who began it. Events name it. */
  actor: Actor;
  /** See {@link authorityOf}. */
  authority: number;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  undo_until: Date | null;
  /** How many archived links match its filter, which excludes them. */
  archived?: number;
  /** What to know about its result. */
  notice?: string;
  /** Of a dry run: the first links that it would change or delete. */
  examples?: string[];
  /** What was found in the file of an import. */
  file?: ReadFile;
  /** An index deletes it then. Missing until it is over. */
  expires_at?: Date;
  /** What to do with which links. Both are dropped when the job is over. */
  filter?: JobFilter;
  change?: JobChange;
  /** It fails if more links match. */
  matched_max?: number;
  /** The job that an undo undoes. */
  undo_of?: string;
  /** How many parts it has so far, and how many of them are done. */
  parts: number;
  position: number;
  /** True once every link is in a part. */
  found: boolean;
  /** The link behind which to look for more. */
  last_id: string;
}

/** A part of a job: some of its links or rows, and then those of them that were refused. */
export interface JobPartDocument {
  /** See {@link partId}. */
  _id: string;
  account_id: string;
  /** The links that are still to do. */
  ids: string[];
  /** The rows of an import that are still to do. */
  rows?: ImportedRows;
  refused: Refusal[];
  expires_at: Date;
}

/** Rows of a file. */
export interface ImportedRows {
  list: StoredRow[];
  /** How many more rows there are, which cannot be taken and are only counted. */
  unlisted: number;
  /** How many are before them. */
  before: number;
}

/** A link that a job refused, or a row of an import. */
export interface Refusal {
  id: string;
  reason: string;
}

/** What undoes a part of a job. */
export interface JobUndoDocument {
  /** See {@link partId}. */
  _id: string;
  account_id: string;
  links: UndoneLink[];
  expires_at: Date;
}

/** A link that a job created, with its fields, or that it changed. */
export type UndoneLink = { id: string } & ({ created: LinkFields } | { changed: ChangedFields });

/** The fields of a link that a job changed, as they are stored, before and after. */
export interface ChangedFields {
  before: Partial<LinkFields>;
  after: Partial<LinkFields>;
}
