import { type DestinationStream, type LoggerOptions, type Logger as PinoLogger, pino } from 'pino';
import { logOutput } from './log-output.ts';

export type Logger = PinoLogger;

/** Names whose values are never logged, at any depth, in any case. */
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

/** API keys and signed tokens, wherever they stand in a line. */
const SECRET_TEXT = /key_(live|pub)_[0-9A-Za-z]+|eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/**
 * A logger that writes JSON lines with `time` (ISO 8601), `level` (a word) and `service`. No line holds a value under
 * a secret's name, nor anything that looks like an API key or a signed token; an error is logged with its type,
 * message, code, stack and causes and nothing else, since the drivers hang documents on theirs.
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

/** The text with every API key and signed token in it masked. */
export function maskSecrets(text: string): string {
  return text.includes('key_') || text.includes('eyJ')
    ? text.replace(SECRET_TEXT, (_, kind?: string) => (kind === undefined ? REDACTED : `key_${kind}_${REDACTED}`))
    : text;
}

/** The value with what stands under a secret's name replaced; copied only where something was. */
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
