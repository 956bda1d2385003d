import { type accountsV1, textOfTime } from '@waymark/proto';

/** An account as `--json` prints it. */
export interface AccountJson {
  username: string;
  plan: string;
  created_at: string;
  /** True for each key that exists and is not revoked. */
  keys: { live: boolean; public: boolean };
}

/** Converts an account of links-svc to the form that `--json` prints. */
export function accountJson(account: accountsV1.Account): AccountJson {
  return {
    username: account.username,
    plan: account.plan,
    created_at: textOfTime(account.createdAt!),
    keys: { live: account.hasLiveKey, public: account.hasPublicKey },
  };
}

/** Prints the value as one line of JSON if `json` is true, else the text. */
export function print(json: boolean | undefined, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

/** Prints an error to standard error: the line `{"error":"…"}` if `json` is true, else the plain text. */
export function printError(json: boolean, error: string): void {
  process.stderr.write(`${json ? JSON.stringify({ error }) : error}\n`);
}

const PROGRESS_EVERY = 10_000;

/** Where progress is shown: standard error, or a substitute. */
export type ProgressStream = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

/**
 * Shows on standard error how many links are done: in one line on a terminal, else a line each 10,000 links. With
 * `--json` it shows nothing. Call `clear` before other output.
 */
export function showProgress(
  json: boolean | undefined,
  stream: ProgressStream = process.stderr,
): { show(done: number): void; clear(): void } {
  const { isTTY } = stream;
  let shown = 0;
  return {
    show(done) {
      if (json || (!isTTY && done - shown < PROGRESS_EVERY)) return;
      shown = done;
      stream.write(isTTY ? `${CLEAR_LINE}${done} links …` : `${done} links …\n`);
    },
    clear() {
      if (isTTY && !json) stream.write(CLEAR_LINE);
    },
  };
}

/** Goes to the start of the line and erases it (ECMA-48, EL). */
const CLEAR_LINE = '\r\x1b[K';

/** Formats headings and rows as aligned columns. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
