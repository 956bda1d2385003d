/** A document that one replica at a time works on. */
export interface Lease {
  _id: string;
  /** The replica that works on it, or null. */
  holder: string | null;
  /**
   * A random text. Only whoever takes the lease changes it, and then its holder, again and again: so a lease whose beat
   * stands still has no living holder, whoever else writes the document.
   */
  beat: string;
}

/** The lease on work that has no other document. Its id names the work. */
export type LeaseDocument = Lease;
