import type { Device } from '@waymark/contract';

/** The reasons why a redirect does not count as a click (docs/api.md, Clicks). The set is closed. */
export const NOT_COUNTED_REASONS = ['prefetch', 'empty_user_agent', 'preview', 'library', 'bot'] as const;
export type NotCountedReason = (typeof NOT_COUNTED_REASONS)[number];

/** The verdicts on a click: it counts, or the reason why it does not. */
export const VERDICTS = ['counted', ...NOT_COUNTED_REASONS] as const;
export type Verdict = (typeof VERDICTS)[number];

/** One value for each click. Each distinct value is in `values` once; `indexes` has the index of each click's value. */
export interface Column<Value> {
  values: readonly Value[];
  indexes: Uint16Array;
}

/** Clicks as links-svc reports them, column by column, before they are classified. */
export interface RawClicks {
  count: number;
  /** The UUID of each click: 16 bytes, one after the other. */
  ids: Uint8Array;
  /** Milliseconds since the epoch. */
  clickedAtMs: Float64Array;
  accountIds: Column<string>;
  linkIds: Column<string>;
  userAgents: Column<string>;
  referrers: Column<string>;
  utmSources: Column<string>;
  /** 1 if the click was a prefetch, else 0. */
  prefetch: Uint8Array;
}

/** Clicks as they are stored: classified, and without anything that identifies visitors. */
export interface Clicks extends Pick<RawClicks, 'count' | 'ids' | 'clickedAtMs' | 'accountIds' | 'linkIds'> {
  sources: Column<string>;
  devices: Column<Device>;
  verdicts: Column<Verdict>;
}
