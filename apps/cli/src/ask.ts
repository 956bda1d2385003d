import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CliError, EXIT } from './cli-error.ts';
import { interrupted } from './interruption.ts';

/**
 * Asks for a secret without showing it. If standard input is no terminal, the secret is what it contains.
 * @throws {CliError} if nothing was typed or sent.
 */
export async function askSecret(question: string): Promise<string> {
  const secret = process.stdin.isTTY ? await ask(question, true) : await text(process.stdin);
  if (secret.trim() === '') throw new CliError('Nothing was entered.', EXIT.usage);
  return secret.trim();
}

/**
 * Asks the person at the terminal whether to continue.
 * @throws {CliError} if the answer is not yes, or if standard input is no terminal.
 */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new CliError('Cannot ask for confirmation, because standard input is no terminal; add --yes.', EXIT.usage);
  const answer = await ask(`${question} [y/N] `, false);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('Nothing was changed.');
}

async function ask(question: string, isSecret: boolean): Promise<string> {
  const silent = new Writable({ write: (_piece, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: isSecret ? silent : process.stderr,
    terminal: true,
  });
  // The terminal shows nothing of what is typed by now.
  if (isSecret) process.stderr.write(question);
  // Ctrl-C and Ctrl-D close the terminal without an answer.
  const closed = new Promise<never>((_, reject) => {
    terminal.once('close', () => reject(new CliError('Interrupted.', EXIT.interrupted)));
  });
  let isAnswered = false;
  try {
    const answer = await Promise.race([terminal.question(isSecret ? '' : question, { signal: interrupted }), closed]);
    isAnswered = true;
    return answer;
  } finally {
    terminal.close();
    // Only an answer that is shown ends its line.
    if (isSecret || !isAnswered) process.stderr.write('\n');
  }
}
