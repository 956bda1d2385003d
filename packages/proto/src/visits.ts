/**
 * What the gateway asks links-svc for visitors' redirects. It is HTTP and JSON and not gRPC, since a call of gRPC costs
 * several times as much, and it is many visits at once, since the exchange costs more than a redirect.
 */

/** Where links-svc takes visits, from the gateway only; no slug begins with a hyphen. */
export const VISITS_PATH = '/-/visits';

/** One `GET` or `HEAD` of a short URL. */
export interface Visit {
  requestId: string;
  method: string;
  slug: string;
  /** The raw query string, without `?`. */
  query: string;
  /** Those of the visitor's headers that tell what kind of click it is. */
  headers: VisitHeaders;
}

export interface VisitHeaders {
  'user-agent'?: string | undefined;
  referer?: string | undefined;
  purpose?: string | string[] | undefined;
  'sec-purpose'?: string | string[] | undefined;
}

export interface VisitsRequest {
  visits: Visit[];
}

/** The headers of a `302`: `location` and what goes with it. */
export type RedirectHeaders = Record<string, string>;

/**
 * An answer for each visit, in order: where it is led, its click recorded; or null where nothing was done, since it needs
 * more than a known link: then it is to be asked for alone.
 */
export interface VisitsResponse {
  answers: (RedirectHeaders | null)[];
}
