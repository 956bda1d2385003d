import type { PageMeta } from './page-meta.ts';

/** The start settings of the thread that reads pages. */
export interface PreviewThreadSettings {
  allow: readonly string[];
  userAgent: string;
}

/** A request to read a page within `timeoutMs`. */
export interface PreviewRequest {
  id: number;
  url: string;
  timeoutMs: number;
}

export interface PreviewResponse {
  id: number;
  meta: PageMeta;
}
