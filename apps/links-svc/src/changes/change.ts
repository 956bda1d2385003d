import type { AccountDraft } from './account-draft.ts';

/** The ids of the documents that a change looks at. The account is read anyway. */
export interface ChangeReads {
  links?: readonly string[];
  redirects?: readonly string[];
  /** True to read also the links that these redirects lead to, if they are of an account of the transaction. */
  linksOfRedirects?: boolean;
  linkExpiries?: readonly string[];
  clickLimits?: readonly string[];
  idempotency?: readonly string[];
  savedFilters?: readonly string[];
  sessions?: readonly string[];
  hosts?: readonly string[];
  /** Names of hosts. The documents that have them verified are read, of any account. */
  verifiedHosts?: readonly string[];
  /** Names of hosts. It is read whether links of the account use them. */
  linksOfHosts?: readonly string[];
  releasedHosts?: readonly string[];
  passkeys?: readonly string[];
  webhooks?: readonly string[];
  jobQueues?: readonly string[];
  jobs?: readonly string[];
  jobParts?: readonly string[];
}

/** A change of an account, or of something that it owns. It becomes part of one transaction. */
export interface Change<Result> {
  accountId: string;
  /** The number of its operations. */
  size: number;
  /** About how many bytes it writes. */
  bytes: number;
  /** True for a change that is allowed while the account is being deleted. */
  evenIfDeleting?: boolean;
  /** Returns what the change looks at. It is called again if the transaction is repeated. */
  reads(): ChangeReads;
  /**
   * Decides the change from what was read, and writes it to the draft. It may run several times. If it throws, what it
   * wrote to the draft is undone.
   * @throws {AppError} the error for the client. {@link RepeatChange} if the change must look at other documents.
   */
  decide(draft: AccountDraft): Result;
}

/** Returns a change with another result. */
export function withResult<Result, Other>(change: Change<Result>, toOther: (result: Result) => Other): Change<Other> {
  return { ...change, decide: (draft) => toOther(change.decide(draft)) };
}

/** Thrown by a change that must look at other documents: its transaction is repeated. */
export class RepeatChange extends Error {
  override readonly name = 'RepeatChange';
}
