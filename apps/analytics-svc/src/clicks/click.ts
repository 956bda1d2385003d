import type { Device } from '@waymark/contract';

/** Why a redirect that was answered is no click (contract section 5). The set is closed. */
export const NOT_COUNTED_REASONS = ['prefetch', 'empty_user_agent', 'preview', 'library', 'bot'] as const;
export type NotCountedReason = (typeof NOT_COUNTED_REASONS)[number];

/** What became of a click: it counts, or the reason why not. */
export type Verdict = 'counted' | NotCountedReason;

/** A click as links-svc reports it: what the request said. */
export interface RawClick {
  /** A UUID in its usual form. */
  id: string;
  accountId: string;
  linkId: string;
  clickedAtMs: number;
  userAgent: string;
  referrer: string;
  utmSource: string;
  prefetch: boolean;
}

/** A click as it is stored: what it counts as, and nothing that tells who the visitor is. */
export interface Click {
  id: string;
  accountId: string;
  linkId: string;
  clickedAtMs: number;
  source: string;
  device: Device;
  verdict: Verdict;
}
