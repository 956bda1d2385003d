import createClient from 'openapi-fetch';
import { endSession, readSessionToken } from '../session/session-store.ts';
import { shared } from '../texts/shared.ts';
import type { components, paths } from './api.gen.ts';
import { ApiError } from './api-error.ts';
import { takeFirstResponse } from './first-reads.ts';
import { noResponse } from './no-response.ts';

export type Link = components['schemas']['Link'];

/** The REST API with the session of this browser. Its types are generated from `/openapi.json`. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: fetchWithSession });

/** The REST API without a session, to begin one. */
export const signInApi = createClient<paths>({ baseUrl: location.origin, fetch: (request) => send(request) });

/**
 * Sends a request with the session's token. A 401 ends the session: the sign-in page follows.
 * @throws {ApiError} with status 0 if there is no response, 401 if the session has ended.
 */
export async function fetchWithSession(request: Request): Promise<Response> {
  const token = readSessionToken();
  // Views that wait for the next session must not use up the failures of this address.
  if (token === null) throw new ApiError(401, shared.sessionEnded);
  request.headers.set('authorization', `Bearer ${token}`);
  const response = await send(request, takeFirstResponse(request, token));
  if (response.status !== 401) return response;
  endSession('expired', token);
  throw new ApiError(401, shared.sessionEnded);
}

async function send(request: Request, responding = fetch(request)): Promise<Response> {
  return responding.catch(async (error: unknown) => {
    if (request.signal.aborted) throw error;
    throw await noResponse(request.method);
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

/** Returns the error for a response that is not `ok` and its parsed body. */
export function errorOf(response: Response, body: unknown): ApiError {
  const message =
    typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
      ? body.error
      : shared.unexpected(response.status);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(response.status, message, Number.isFinite(retryAfter) ? retryAfter : null);
}
