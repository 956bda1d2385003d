/** The start settings of the thread that reads pages. */
export interface PreviewThreadSettings {
  allow: readonly string[];
  userAgent: string;
}

/** A request to read a page until `endsAtMs`, of `Date.now()`, because the thread may start later. */
export interface PreviewRequest {
  url: string;
  endsAtMs: number;
}
