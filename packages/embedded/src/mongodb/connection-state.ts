/** The connection that a command arrived on. */
export interface ConnectionState {
  id: number;
  isClosed: boolean;
}

/** The transaction that a command belongs to. */
export interface TransactionId {
  session: string;
  /** The client's `txnNumber`. */
  number: bigint;
  /** Whether the command is its first. */
  starts: boolean;
}
