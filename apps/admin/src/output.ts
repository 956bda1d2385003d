import { type accountsV1, timeFromMessage } from '@waymark/proto';

/** An account as `--json` shows it. */
export interface AccountJson {
  username: string;
  plan: string;
  created_at: string;
  /** Which of its keys work. */
  keys: { live: boolean; public: boolean };
}

/** An account of links-svc as `--json` shows it. */
export function accountJson(account: accountsV1.Account): AccountJson {
  return {
    username: account.username,
    plan: account.plan,
    created_at: timeFromMessage(account.createdAt!).toISOString(),
    keys: { live: account.hasLiveKey, public: account.hasPublicKey },
  };
}

/** Prints one JSON value on a line where JSON was asked for, else the text. */
export function print(json: boolean | undefined, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

/** Prints why a command failed, on standard error: as `{"error":"…"}` on a line where JSON was asked for. */
export function printError(json: boolean, error: string): void {
  process.stderr.write(`${json ? JSON.stringify({ error }) : error}\n`);
}

/** Rows under their headings, in columns. */
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
