import { NOT_COUNTED_REASONS } from '@waymark/contract';
import type { Client } from '@waymark/user-agents';
import type { Origin } from './origin.ts';

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
  utmCampaigns: Column<string>;
  utmMediums: Column<string>;
  utmContents: Column<string>;
  utmTerms: Column<string>;
  /** Two letters in lower case; empty if unknown. */
  languages: Column<string>;
  /** ISO 3166-1 alpha-2 in upper case; empty if unknown. */
  countries: Column<string>;
  /** A number that tells visitors of one day apart; 0 if unknown. */
  visitors: BigUint64Array;
  /** The short host of the link; empty for the default host. */
  hosts: Column<string>;
  /** 1 if the click was a prefetch, else 0. */
  prefetch: Uint8Array;
}

/** Clicks as they are stored: classified, and without anything that identifies visitors. */
export interface Clicks
  extends Pick<
    RawClicks,
    | 'count'
    | 'ids'
    | 'clickedAtMs'
    | 'accountIds'
    | 'linkIds'
    | 'utmCampaigns'
    | 'utmMediums'
    | 'utmContents'
    | 'utmTerms'
    | 'languages'
    | 'countries'
    | 'visitors'
    | 'hosts'
  > {
  origins: Column<Origin>;
  clients: Column<Client>;
  verdicts: Column<Verdict>;
}
