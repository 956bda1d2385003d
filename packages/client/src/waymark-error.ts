/** A request that failed: the only error that this client throws, except the reason of an aborted signal. */
export class WaymarkError extends Error {
  override readonly name = 'WaymarkError';
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number;
  /** How long the API asks to wait, for 429 and 503. */
  readonly retryAfterSeconds: number | null;
  /** What the logs of the server have, too. */
  readonly requestId: string | null;

  constructor(
    status: number,
    message: string,
    { cause, headers }: { cause?: unknown; headers?: Headers | undefined } = {},
  ) {
    super(message, { cause });
    this.status = status;
    const seconds = Number.parseInt(headers?.get('retry-after') ?? '', 10);
    this.retryAfterSeconds = Number.isNaN(seconds) ? null : seconds;
    this.requestId = headers?.get('x-request-id') ?? null;
  }

  /** True if a change may have been made all the same: there was no response, or the server failed. */
  get isUncertain(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

/** Returns the error for a response that is not `ok`. Its message is the API's own, if the API sent it. */
export async function errorOf(response: Response): Promise<WaymarkError> {
  const { status, headers } = response;
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null)
    return new WaymarkError(status, `${new URL(response.url).origin} redirects to ${location}; use that address.`);
  const body: unknown = await response.json().catch(() => null);
  const message =
    typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
      ? body.error
      : `${new URL(response.url).origin} responded with status ${status}, and not as Waymark does.`;
  return new WaymarkError(status, message, { headers });
}

/** Returns the error for a request that got no response. */
export function noResponse(url: string, cause: unknown): WaymarkError {
  return new WaymarkError(0, `${new URL(url).origin} does not respond: ${reasonOf(cause)}.`, { cause });
}

/** Returns the error for a response that ended too early. */
export function brokenOff(cause: unknown): WaymarkError {
  return new WaymarkError(0, `The response broke off: ${reasonOf(cause)}.`, { cause });
}

/** Returns the innermost reason. `fetch` itself says only "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
