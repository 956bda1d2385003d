import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { AdminError } from './admin-error.ts';

/**
 * Asks the person at the terminal whether to continue.
 * @throws {AdminError} if the answer is not yes, or if standard input is not a terminal.
 */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new AdminError(
      'Cannot ask for confirmation, because standard input is not a terminal; add --yes to go ahead without it.',
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await Promise.race([
      terminal.question(`${question} [y/N] `).catch(() => ''),
      // Ctrl-C and Ctrl-D close the terminal without an answer.
      once(terminal, 'close').then(() => ''),
    ]);
    if (!/^y(es)?$/i.test(answer.trim())) throw new AdminError('Nothing was changed.');
  } finally {
    terminal.close();
  }
}
