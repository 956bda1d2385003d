/** The key of one UTC day. All replicas use the same. */
export interface VisitorKeyDocument {
  /** The day, an ISO date. */
  _id: string;
  /** 32 random bytes in base64. */
  key: string;
  /** The time from which the database deletes the key. */
  expires_at: Date;
}
