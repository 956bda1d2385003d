import { fieldLabels } from '../texts/links.ts';
import { shared } from '../texts/shared.ts';

/** A request that failed. `message` is for the user: the API's own words if it responded. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number;
  /** How long the API asks to wait, for 429 and 503. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, message: string, retryAfterSeconds: number | null = null) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /**
   * Returns the name of the field that a 422 is about, or null. The API begins such messages with the field in quotes:
   * `"slug" is taken.`, `"change.add_hashtags[0]" must be …`
   */
  get field(): string | null {
    return this.status === 422 ? (/^"(?:[a-z_]+\.)*([a-z_]+)/.exec(this.message)?.[1] ?? null) : null;
  }

  /** Returns true if the request may have taken effect: there was no response, or the server failed. */
  get isUncertain(): boolean {
    return this.status === 0 || this.status >= 500;
  }
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

/** Ignores the refusal of a request to delete what is gone already. Throws every other error. */
export function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

/** Returns the text to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  return inLabels(error instanceof Error ? error.message : String(error));
}

/** Returns a message of the API with the labels of the forms for its names of fields: `“Title” must be …`. */
export function inLabels(message: string): string {
  // Replaces only names of fields, not the same word in a value that the user entered.
  return message.replace(
    /(^|\b(?:for|with) )"(?:[a-z_]+(?:\[\d+\])?\.)*([a-z_]+)(?:\[\d+\])?"/g,
    (whole, before, name: string) => (Object.hasOwn(fieldLabels, name) ? `${before}“${fieldLabels[name]}”` : whole),
  );
}
