import { ACTIONS, type RestrictedKey } from '@waymark/contract';
import { restrictedKeyFromMessage } from '@waymark/proto';
import { print } from '@waymark/terminal';
import { type Command, Option } from 'commander';
import { withAccounts } from './connection.ts';
import { jsonOption, keyOption, scopeOf, usernameOption } from './options.ts';
import { table } from './output.ts';

interface Named {
  username: string;
  json?: boolean;
}

interface CreateOptions extends Named {
  name: string;
  scope: 'live' | 'public';
  actions: string;
  hashtag?: string;
  expiresAt?: string;
}

/** Adds the commands of restricted keys to `admin key`. */
export function addRestrictedKeyCommands(key: Command): void {
  key
    .command('create-restricted')
    .description('create a key that may do less than one of the two, and print it; it is shown only once')
    .addOption(usernameOption())
    .addOption(new Option('--name <name>', 'a name to tell it from others').makeOptionMandatory())
    .addOption(keyOption('the key whose links it sees'))
    .addOption(new Option('--actions <list>', `some of ${ACTIONS.join(',')}`).makeOptionMandatory())
    .addOption(new Option('--hashtag <hashtag>', 'it sees only links with this hashtag, and creates them with it'))
    .addOption(new Option('--expires-at <time>', 'when it stops working (RFC 3339)'))
    .addOption(jsonOption())
    .action(({ username, name, scope, actions, hashtag, expiresAt, json }: CreateOptions) =>
      withAccounts(async (accounts, options) => {
        const made = await accounts.createRestrictedKey(
          {
            ...{ username, name, scope: scopeOf(scope), actions: actions.split(',') },
            ...(hashtag !== undefined && { hashtag }),
            ...(expiresAt !== undefined && { expiresAt }),
          },
          options,
        );
        print(
          json,
          { username, ...restrictedKeyFromMessage(made.key!), key: made.secret },
          `The restricted key "${name}" of ${username}, shown only once:\n  ${made.secret}`,
        );
      }),
    );
  key
    .command('list')
    .description('list the restricted keys of an account')
    .addOption(usernameOption())
    .addOption(jsonOption())
    .action(({ username, json }: Named) =>
      withAccounts(async (accounts, options) => {
        const keys = (await accounts.listRestrictedKeys({ username }, options)).keys.map(restrictedKeyFromMessage);
        print(json, keys, keys.length === 0 ? `${username} has no restricted keys.` : keyTable(keys));
      }),
    );
  key
    .command('delete')
    .description('delete a restricted key; it stops working within 5 seconds')
    .addOption(usernameOption())
    .addOption(new Option('--id <id>', 'the id of the key, as "key list" shows it').makeOptionMandatory())
    .addOption(jsonOption())
    .action(({ username, id, json }: Named & { id: string }) =>
      withAccounts(async (accounts, options) => {
        await accounts.deleteRestrictedKey({ username, id }, options);
        print(json, { username, id, deleted: true }, `Deleted the restricted key ${id} of ${username}.`);
      }),
    );
}

function keyTable(keys: readonly RestrictedKey[]): string {
  return table(
    ['ID', 'NAME', 'SCOPE', 'KEY', 'ACTIONS', 'HASHTAG', 'EXPIRES', 'LAST USED'],
    keys.map(({ id, name, scope, hint, actions, hashtag, expires_at, last_used_at }) => [
      ...[id, name, scope, hint, actions.join(',')],
      ...[hashtag ?? '-', expires_at ?? 'never', last_used_at ?? 'never'],
    ]),
  );
}
