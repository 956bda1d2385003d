import createClient from 'openapi-fetch';
import { endSession, readSessionToken } from '../session/session-store.ts';
import { shared } from '../texts/shared.ts';
import type { components, paths } from './api.gen.ts';
import { ApiError, errorOf } from './api-error.ts';
import { takeFirstResponse } from './first-reads.ts';
import { noResponse } from './no-response.ts';
import { isChange, sendChange } from './send-change.ts';

export type Link = components['schemas']['Link'];

/** How long a change may take: the API responds within 5 seconds, and networks are slow. */
const CHANGE_MAX_MS = 30_000;

/** The REST API with the session of this browser. Its types are generated from `/openapi.json`. */
export const api = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request) => fetchWithSession(request, CHANGE_MAX_MS),
});

/** The REST API without a session, to begin one. */
export const signInApi = createClient<paths>({ baseUrl: location.origin, fetch: (request) => read(request) });

/**
 * Sends a request with the session's token. A 401 ends the session: the sign-in page follows. A change may take
 * `changeMaxMs` milliseconds.
 * @throws {ApiError} with status 0 if there is no response, 401 if the session has ended.
 */
export async function fetchWithSession(request: Request, changeMaxMs?: number): Promise<Response> {
  const token = readSessionToken();
  // Views that wait for the next session must not use up the failures of this address.
  if (token === null) throw new ApiError(401, shared.sessionEnded);
  request.headers.set('authorization', `Bearer ${token}`);
  const response = await (isChange(request)
    ? sendChange(request, changeMaxMs)
    : read(request, takeFirstResponse(request, token)));
  if (response.status !== 401) return response;
  endSession('expired', token);
  throw new ApiError(401, shared.sessionEnded);
}

async function read(request: Request, responding = fetch(request)): Promise<Response> {
  return responding.catch(async (error: unknown) => {
    throw request.signal.aborted ? error : await noResponse(request.method);
  });
}

/**
 * Returns the data of a response of `api`.
 * @throws {ApiError} with the API's message if it refused the request.
 */
export async function dataOf<Data>(
  responding: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await responding;
  if (!response.ok) throw errorOf(response, error);
  return data as Data;
}
