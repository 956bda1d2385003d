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
    {
      cause,
      retryAfterSeconds = null,
      requestId = null,
    }: { cause?: unknown; retryAfterSeconds?: number | null; requestId?: string | null } = {},
  ) {
    super(message, { cause });
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.requestId = requestId;
  }

  /** True if a change may have been made all the same: there was no response, or the server failed. */
  get isUncertain(): boolean {
    return this.status === 0 || this.status >= 500;
  }

  /**
   * The name of the field that a 422 is about, or null. The API begins such messages with the field in quotes:
   * `"slug" is taken.`, `"change.add_hashtags[0]" must be …`
   */
  get field(): string | null {
    return this.status === 422 ? (/^"(?:[a-z_]+\.)*([a-z_]+)/.exec(this.message)?.[1] ?? null) : null;
  }
}

/** Returns the error for a response that is not `ok`. Its message is the API's own, or `unexpected` if that sent none. */
export async function errorOf(response: Response, unexpected: string): Promise<WaymarkError> {
  const { status, headers } = response;
  const body: unknown = await response.json().catch(() => null);
  const isOfApi = typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';
  const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10);
  return new WaymarkError(status, isOfApi ? (body.error as string) : unexpected, {
    retryAfterSeconds: Number.isNaN(seconds) ? null : seconds,
    requestId: headers.get('x-request-id'),
  });
}

/** Returns what to say of a response that the API never sends. */
export function unlikeWaymark(status: number, url: string): string {
  return `${new URL(url).origin} responded with status ${status}, and not as Waymark does.`;
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
