import type { Device } from '@waymark/contract';

/** Why a redirect that was answered is no click (docs/api.md, Clicks). The set is closed. */
export const NOT_COUNTED_REASONS = ['prefetch', 'empty_user_agent', 'preview', 'library', 'bot'] as const;
export type NotCountedReason = (typeof NOT_COUNTED_REASONS)[number];

/** What became of a click: it counts, or the reason why not. */
export const VERDICTS = ['counted', ...NOT_COUNTED_REASONS] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A value of each click, most of which occur many times: each once, and for each click the index of its own. */
export interface Column<Value> {
  values: readonly Value[];
  indexes: Uint16Array;
}

/** Clicks as links-svc reports them, column by column: what their requests said. */
export interface RawClicks {
  count: number;
  /** 16 bytes of each, one after the other: a UUID. */
  ids: Uint8Array;
  /** Milliseconds since the epoch. */
  clickedAtMs: Float64Array;
  accountIds: Column<string>;
  linkIds: Column<string>;
  userAgents: Column<string>;
  referrers: Column<string>;
  utmSources: Column<string>;
  /** 1 where the click was a prefetch, else 0. */
  prefetch: Uint8Array;
}

/** Clicks as they are stored: what they count as, and nothing that tells who the visitors are. */
export interface Clicks extends Pick<RawClicks, 'count' | 'ids' | 'clickedAtMs' | 'accountIds' | 'linkIds'> {
  sources: Column<string>;
  devices: Column<Device>;
  verdicts: Column<Verdict>;
}
