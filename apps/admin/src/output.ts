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

/** Shows on standard error how many links are done, in one line on a terminal. With `--json` it shows nothing. */
export function showProgress(json: boolean | undefined): { show(done: number): void; end(): void } {
  const { isTTY } = process.stderr;
  let shown = 0;
  return {
    show(done) {
      if (json || (!isTTY && done - shown < PROGRESS_EVERY)) return;
      shown = done;
      process.stderr.write(isTTY ? `\r${done} links …` : `${done} links …\n`);
    },
    end() {
      if (isTTY && !json) process.stderr.write('\r');
    },
  };
}

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
