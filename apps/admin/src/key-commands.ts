import { GRACE_MAX_SECONDS } from '@waymark/contract';
import { print } from '@waymark/terminal';
import { Command, InvalidArgumentError, Option } from 'commander';
import { withAccounts } from './connection.ts';
import { jsonOption, keyOption, scopeOf, usernameOption } from './options.ts';
import { addRestrictedKeyCommands } from './restricted-key-commands.ts';

interface KeyOptions {
  username: string;
  scope: 'live' | 'public';
  json?: boolean;
}

/** Returns the command `admin key …`. */
export function keyCommand(): Command {
  const key = new Command('key').description('manage the keys of an account');
  key
    .command('rotate')
    .description(
      'replace a key and print the new one, which is shown only once; the old key stops working within 5 seconds, or after the grace',
    )
    .addOption(usernameOption())
    .addOption(keyOption())
    .addOption(
      new Option(
        '--grace-seconds <seconds>',
        `how long the old key works beside the new one, at most ${GRACE_MAX_SECONDS}`,
      )
        .argParser(graceOf)
        .default(0),
    )
    .addOption(jsonOption())
    .action(({ username, scope, graceSeconds, json }: KeyOptions & { graceSeconds: number }) =>
      withAccounts(async (accounts, options) => {
        const made = await accounts.rotateKey({ username, scope: scopeOf(scope), graceSeconds }, options);
        print(
          json,
          { username, scope, key: made.key },
          `The new ${scope} key of ${username}, shown only once:\n  ${made.key}`,
        );
      }),
    );
  key
    .command('revoke')
    .description('revoke a key; it stops working within 5 seconds')
    .addOption(usernameOption())
    .addOption(keyOption())
    .addOption(jsonOption())
    .action(({ username, scope, json }: KeyOptions) =>
      withAccounts(async (accounts, options) => {
        await accounts.revokeKey({ username, scope: scopeOf(scope) }, options);
        print(json, { username, scope, revoked: true }, `Revoked the ${scope} key of ${username}.`);
      }),
    );
  addRestrictedKeyCommands(key);
  return key;
}

/** Returns the seconds that the text is. */
function graceOf(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= GRACE_MAX_SECONDS) return seconds;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${GRACE_MAX_SECONDS}.`);
}
