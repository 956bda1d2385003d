import { resolve } from 'node:path';
import { type DrainResult, drainSpool, isSpool } from '@waymark/links-svc/drain-spool';
import { createLogger } from '@waymark/service-kit';
import { print } from '@waymark/terminal';
import { Command, InvalidArgumentError, Option } from 'commander';
import { AdminError } from './admin-error.ts';
import { withClicks } from './connection.ts';
import { jsonOption } from './options.ts';

interface DrainCommandOptions {
  dir: string;
  timeout: number;
  json?: boolean;
}

const DEFAULT_TIMEOUT_SECONDS = 600;
const MAX_TIMEOUT_SECONDS = 86_400;

/** Returns the command `admin spool …`. */
export function spoolCommand(): Command {
  const spool = new Command('spool').description(
    'manage the folder in which a links-svc keeps clicks until they are sent',
  );
  spool
    .command('drain')
    .description(
      'send the clicks in a folder that a removed links-svc left behind; it can be stopped and run again, and counts no click twice',
    )
    .addOption(new Option('--dir <folder>', 'the folder that was SPOOL_DIR').makeOptionMandatory())
    .addOption(new Option('--timeout <seconds>', 'how long to try').default(DEFAULT_TIMEOUT_SECONDS).argParser(seconds))
    .addOption(jsonOption())
    .action(drain);
  return spool;
}

async function drain({ dir, timeout, json }: DrainCommandOptions): Promise<void> {
  const directory = resolve(dir);
  if (!isSpool(directory))
    throw new AdminError(`${directory} holds no spool; name the folder that was SPOOL_DIR of a links-svc.`);
  const result = await withClicks(({ analytics, existingLinks, refreshTotals }) =>
    drainSpool(directory, {
      analytics,
      existingLinks,
      refreshTotals,
      timeoutMs: timeout * 1_000,
      logger: createLogger({ service: 'admin', level: 'warn' }, process.stderr),
    }),
  );
  const { sent, remaining, bytes, damagedFiles } = result;
  print(json, { sent, remaining, bytes, damaged_files: damagedFiles }, textOf(directory, result));
  if (bytes > 0) process.exitCode = 1;
}

function textOf(directory: string, { sent, remaining, bytes, damagedFiles }: DrainResult): string {
  const done = `Sent ${sent} clicks of ${directory}.`;
  if (remaining > 0)
    return `${done} ${remaining} could not be sent in time and stay there; run the command again once analytics-svc works.`;
  if (damagedFiles > 0) return `${done} Damaged files stay there; move them away to inspect them.`;
  if (bytes > 0)
    return `${done} Clicks that analytics-svc refused, or that cannot be read, stay there (${bytes} bytes).`;
  return `${done} None are left, so you may delete the folder.`;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > MAX_TIMEOUT_SECONDS)
    throw new InvalidArgumentError(`Use a whole number of seconds from 1 to ${MAX_TIMEOUT_SECONDS}.`);
  return value;
}
