import createClient from 'openapi-fetch';
import { endSession, readSessionToken } from '../session/session-store.ts';
import type { components, paths } from './api.gen.ts';
import { errorOf, unansweredError } from './api-error.ts';
import { takeFirstResponse } from './first-reads.ts';
import { isChange, sendChange } from './send-change.ts';

export type Link = components['schemas']['Link'];

/** How long a change may take: the API responds within 5 seconds, and networks are slow. */
const CHANGE_MAX_MS = 30_000;

/** The REST API with the session of this tab. Its types are generated from `/openapi.json`. */
export const api = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request) => fetchWithSession(request, CHANGE_MAX_MS),
});

/**
 * Sends a request with the session's token. A 401 ends the session: the sign-in page follows. A change may take
 * `changeMaxMs` milliseconds.
 * @throws {ApiError} with status 0 if there is no response.
 */
export async function fetchWithSession(request: Request, changeMaxMs?: number): Promise<Response> {
  const token = readSessionToken();
  if (token !== null) request.headers.set('authorization', `Bearer ${token}`);
  const response = await (token !== null && isChange(request)
    ? sendChange(request, changeMaxMs)
    : read(request, token));
  if (response.status === 401 && token !== null) endSession('expired', token);
  return response;
}

async function read(request: Request, token: string | null): Promise<Response> {
  const firstResponse = token === null ? undefined : takeFirstResponse(request, token);
  try {
    return await (firstResponse ?? fetch(request));
  } catch (error) {
    throw request.signal.aborted ? error : unansweredError();
  }
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
