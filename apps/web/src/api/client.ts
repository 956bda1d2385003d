import { errorOf, type Result, type Route, requestOf, type Sent, WaymarkError } from '@waymark/client';
import type { Analytics, LinkList } from '@waymark/contract';
import { shared } from '../texts/shared.ts';
import { takeEarlyResponse } from './early-reads.ts';
import { noResponse } from './no-response.ts';
import { waitFor } from './rate-wait.ts';
import { isChange, sendChange } from './send-change.ts';
import { noteServerTime } from './server-clock.ts';
import { endSession, readSessionToken } from './session-store.ts';

/** How long a change may take: the API responds within 5 seconds, and networks are slow. Files may take longer. */
const CHANGE_MAX_MS = 30_000;

const refusalListeners = new Set<(route: Route, error: WaymarkError) => void>();

/** Calls `listener` after each refused request of the session. */
export function onRefusal(listener: (route: Route, error: WaymarkError) => void): void {
  refusalListeners.add(listener);
}

/** The responses that have every field without `fields`, which the dashboard sends only to count. */
interface Whole {
  'GET /api/v1/links': LinkList;
  'GET /api/v1/analytics': Analytics;
}
type Json<Name extends Route> = Name extends keyof Whole ? Whole[Name] : Result<Name>;

/**
 * Sends a request with the session's token, and returns the JSON of its response. A 401 ends the session: the sign-in page
 * follows.
 * After a 429 with a short wait, sends it again.
 * @throws {WaymarkError} with the API's message if it refused the request, with status 0 if there is no response.
 */
export async function api<Name extends Route>(route: Name, sent: Sent<Name>): Promise<Json<Name>> {
  return json(await apiResponse(route, sent));
}

/** Like {@link api}, but returns the response, for what is no JSON. */
export async function apiResponse<Name extends Route>(route: Name, sent: Sent<Name>): Promise<Response> {
  const maxMs = 'body' in sent && sent.body instanceof Blob ? undefined : CHANGE_MAX_MS;
  const response = await fetchWithSession(requestOf(location.origin, route, sent), maxMs);
  if (response.ok) return response;
  const error = await refusal(response);
  if (await waitFor(error)) return apiResponse(route, sent);
  for (const listener of refusalListeners) listener(route, error);
  throw error;
}

/** Like {@link api}, but without a session, to begin one. */
export async function signInApi<Name extends Route>(route: Name, sent: Sent<Name>): Promise<Result<Name>> {
  const response = await read(requestOf(location.origin, route, sent));
  if (!response.ok) throw await refusal(response);
  return json(response);
}

async function fetchWithSession(request: Request, changeMaxMs?: number): Promise<Response> {
  const token = readSessionToken();
  // Views that wait for the next session must not use up the failures of this address.
  if (token === null) throw new WaymarkError(401, shared.sessionEnded);
  request.headers.set('authorization', `Bearer ${token}`);
  const response = await (isChange(request)
    ? sendChange(request, changeMaxMs)
    : read(request, takeEarlyResponse(request, token)));
  noteServerTime(response);
  if (response.status !== 401) return response;
  endSession('expired', token);
  throw new WaymarkError(401, shared.sessionEnded);
}

async function read(request: Request, responding = fetch(request)): Promise<Response> {
  return responding.catch(async (error: unknown) => {
    throw request.signal.aborted ? error : await noResponse(request.method);
  });
}

function refusal(response: Response): Promise<WaymarkError> {
  return errorOf(response, shared.unexpected(response.status));
}

async function json<Body>(response: Response): Promise<Body> {
  return (response.status === 204 ? undefined : await response.json()) as Body;
}
