import { WaymarkError } from '@waymark/client';

/** The exit codes of the command line. Scripts use them, so they stay as they are (docs/cli.md). */
export const EXIT = {
  failed: 1,
  usage: 2,
  key: 3,
  notFound: 4,
  partly: 5,
  unavailable: 6,
  interrupted: 130,
} as const;

/** A failure of a command. The message is one sentence for the person who ran it. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns the exit code for anything that was thrown. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  if (!(error instanceof WaymarkError)) return EXIT.failed;
  switch (error.status) {
    case 401:
    case 403:
      return EXIT.key;
    case 404:
      return EXIT.notFound;
    case 0:
    case 429:
    case 503:
      return EXIT.unavailable;
    default:
      return EXIT.failed;
  }
}
