import type { PageMeta } from './page-meta.ts';

/** What the thread that reads pages is started with. */
export interface PreviewThreadSettings {
  allow: readonly string[];
  userAgent: string;
}

/** A page to read, in the time that is left. */
export interface PreviewRequest {
  id: number;
  url: string;
  timeoutMs: number;
}

export interface PreviewResponse {
  id: number;
  meta: PageMeta;
}
