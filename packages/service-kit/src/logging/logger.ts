import { type DestinationStream, type LoggerOptions, type Logger as PinoLogger, pino } from 'pino';
import { logOutput } from './log-output.ts';

export type Logger = PinoLogger;

/** Names whose values are redacted, in upper or lower case and at any depth. */
const SECRET_NAMES = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-waymark-identity',
  'identitytoken',
  'token',
  'password',
  'passwordhash',
  'password_hash',
  'note',
  'key',
  'live_key',
  'public_key',
  'signing_key',
  'signing_key_previous',
]);
const REDACTED = '[redacted]';
/** The most values of one line that are logged. It also ends the walk through objects that contain themselves. */
const VALUES_MAX = 1_000;
const CAUSES_MAX = 6;

/** API keys, the tokens of sessions and sign-in links, and signed tokens, anywhere in a line. */
const SECRET_TEXT = /(key_live|key_pub|sess|signin)_[0-9A-Za-z]+|eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
/** The beginnings of secret texts. Looking for them is cheaper. */
const SECRET_MARK = /key_|sess_|signin_|eyJ/;

/**
 * Creates a logger that writes JSON lines with `time` (ISO 8601), `level` (a word) and `service`. It redacts values
 * of secret names and everything that looks like an API key or another token, at any depth. An error is logged with its type,
 * message, code, stack and causes only, because database drivers attach documents to theirs.
 */
export function createLogger(
  { service, level }: { service: string; level: string },
  destination: DestinationStream = logOutput(),
): Logger {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (line) => redact(line) as Record<string, unknown> },
    // `redact` has serialized the errors already.
    serializers: { err: (error: unknown) => error },
    hooks: { streamWrite: maskSecrets },
  };
  return pino(options, destination);
}

/** Returns the text with every API key and token masked. */
export function maskSecrets(text: string): string {
  return SECRET_MARK.test(text)
    ? text.replace(SECRET_TEXT, (_, prefix?: string) => (prefix === undefined ? REDACTED : `${prefix}_${REDACTED}`))
    : text;
}

/**
 * Returns a copy of the value for JSON, with the values of secret names replaced. Objects of classes, whose content is
 * unknown, are replaced too. Ends after {@link VALUES_MAX} values.
 */
function redact(value: unknown, budget = { left: VALUES_MAX }): unknown {
  if (typeof value === 'function') return undefined;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Error) return serializeError(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null)
    return Object.prototype.toString.call(value);
  const copy: Record<string, unknown> = Array.isArray(value) ? ([] as object as Record<string, unknown>) : {};
  for (const name of Object.keys(value)) {
    if (budget.left === 0) break;
    budget.left -= 1;
    const inner: unknown = (value as Record<string, unknown>)[name];
    copy[name] = SECRET_NAMES.has(name.toLowerCase()) ? REDACTED : redact(inner, budget);
  }
  return copy;
}

function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : `thrown: ${typeof error}`;
  const { name, message, stack, cause } = error;
  const code: unknown = (error as { code?: unknown }).code;
  return {
    type: name,
    message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack,
    ...(cause !== undefined && depth < CAUSES_MAX ? { cause: serializeError(cause, depth + 1) } : {}),
  };
}
