import { Command } from 'commander';
import { withAccounts } from './connection.ts';
import { jsonOption, keyOption, scopeOf, usernameOption } from './options.ts';
import { print } from './output.ts';

interface KeyOptions {
  username: string;
  scope: 'live' | 'public';
  json?: boolean;
}

/** Returns the command `admin key …`. */
export function keyCommand(): Command {
  const key = new Command('key').description('manage the two keys of an account');
  key
    .command('rotate')
    .description(
      'replace a key and print the new one, which is shown only once; the old key stops working within 5 seconds',
    )
    .addOption(usernameOption())
    .addOption(keyOption())
    .addOption(jsonOption())
    .action(({ username, scope, json }: KeyOptions) =>
      withAccounts(async (accounts, options) => {
        const made = await accounts.rotateKey({ username, scope: scopeOf(scope) }, options);
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
  return key;
}
