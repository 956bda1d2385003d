/**
 * What the gateway asks links-svc for visitors' redirects: many visits at once, since an exchange costs more than a redirect,
 * on connections of their own, since HTTP costs more than the rest of an exchange.
 *
 * A connection begins as a request, `GET` {@link VISITS_PATH} with the gateway's identity and `Upgrade:` {@link VISITS_PROTOCOL},
 * and is one once that is answered with 101. From then on both sides send frames (`frameOf`): the gateway {@link VisitsRequest},
 * links-svc {@link VisitsMessage}, in any order. The gateway alone ends a connection, by ending its own side: what it sent
 * before that is answered. links-svc asks it to.
 */

/** Where links-svc takes visits, from the gateway only; no slug begins with a hyphen. */
export const VISITS_PATH = '/-/visits';
/** What a request there is to be upgraded to. */
export const VISITS_PROTOCOL = 'waymark-visits';
/** The longest frame: many visits, each with headers of some kilobytes. */
export const VISITS_FRAME_MAX_BYTES = 8 * 1024 * 1024;

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
  /** Of this connection, for the answer. */
  id: number;
  visits: Visit[];
}

/** The headers of a `302`: `location` and what goes with it. */
export type RedirectHeaders = Record<string, string>;

/**
 * An answer for each visit, in order: where it is led, its click recorded; or null where nothing was done, since it needs
 * more than a known link: then it is to be asked for alone.
 */
export type VisitAnswers = (RedirectHeaders | null)[];

/** What links-svc sends: answers to the request of that id, or that it is about to stop and the connection is to be ended. */
export type VisitsMessage = { id: number; answers: VisitAnswers } | { stopping: true };
