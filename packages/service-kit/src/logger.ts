import { type DestinationStream, type LoggerOptions, type Logger as PinoLogger, pino } from 'pino';
import { logOutput } from './log-output.ts';

export type Logger = PinoLogger;

/** Names whose values are redacted, in upper or lower case. {@link redact} says in which objects. */
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
const DEPTH_MAX = 6;

/** API keys and signed tokens, anywhere in a line. */
const SECRET_TEXT = /key_(live|pub)_[0-9A-Za-z]+|eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/**
 * Creates a logger that writes JSON lines with `time` (ISO 8601), `level` (a word) and `service`. It redacts values
 * of secret names and everything that looks like an API key or a signed token. An error is logged with its type,
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
    formatters: { level: (label) => ({ level: label }), log: (object) => redact(object, 0) as Record<string, unknown> },
    serializers: { err: serializeError, error: serializeError },
    hooks: { streamWrite: maskSecrets },
  };
  return pino(options, destination);
}

/** Returns the text with every API key and signed token masked. */
export function maskSecrets(text: string): string {
  return text.includes('key_') || text.includes('eyJ')
    ? text.replace(SECRET_TEXT, (_, kind?: string) => (kind === undefined ? REDACTED : `key_${kind}_${REDACTED}`))
    : text;
}

/**
 * Returns the value with the values of secret names replaced, in plain objects and arrays up to {@link DEPTH_MAX}
 * levels below the top. Copies only what changes.
 */
function redact(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => redact(item, depth + 1));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[name];
    const safe = SECRET_NAMES.has(name.toLowerCase()) ? REDACTED : redact(inner, depth + 1);
    if (safe !== inner) {
      copy ??= { ...value };
      copy[name] = safe;
    }
  }
  return copy ?? value;
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
    ...(cause !== undefined && depth < DEPTH_MAX ? { cause: serializeError(cause, depth + 1) } : {}),
  };
}
