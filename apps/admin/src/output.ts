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
