import { Command, Option } from 'commander';
import { confirm } from './confirm.ts';
import { withAccounts } from './connection.ts';
import { jsonOption, planOption, usernameOption } from './options.ts';
import { type AccountJson, accountJson, print, table } from './output.ts';

interface Named {
  username: string;
  json?: boolean;
}

const PAGE_SIZE = 1000;

/** Returns the command `admin account …`. */
export function accountCommand(): Command {
  const account = new Command('account').description('accounts and their plans');
  account
    .command('create')
    .description('make an account with both keys, which are shown this once')
    .addOption(usernameOption())
    .addOption(planOption())
    .addOption(jsonOption())
    .action(({ username, plan, json }: Named & { plan: string }) =>
      withAccounts(async (accounts, options) => {
        const made = await accounts.createAccount({ username, plan }, options);
        const keys = { live: made.liveKey, public: made.publicKey };
        print(
          json,
          { username: made.account!.username, plan: made.account!.plan, keys },
          `Made the account ${made.account!.username} (${made.account!.plan}). Its keys are shown this once:\n` +
            `  Full Access        ${keys.live}\n  Public Links Only  ${keys.public}`,
        );
      }),
    );
  account
    .command('list')
    .description('all accounts')
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) =>
      withAccounts(async (accounts, options) => {
        const all: AccountJson[] = [];
        let pageToken = '';
        do {
          const page = await accounts.listAccounts({ pageSize: PAGE_SIZE, pageToken }, options);
          all.push(...page.accounts.map(accountJson));
          pageToken = page.nextPageToken;
        } while (pageToken !== '');
        print(json, all, all.length === 0 ? 'There are no accounts.' : accountTable(all));
      }),
    );
  account
    .command('show')
    .description('one account')
    .addOption(usernameOption())
    .addOption(jsonOption())
    .action(({ username, json }: Named) =>
      withAccounts(async (accounts, options) => {
        const shown = accountJson((await accounts.getAccount({ username }, options)).account!);
        print(json, shown, accountTable([shown]));
      }),
    );
  account
    .command('set-plan')
    .description('change the plan of an account; it takes effect within 5 seconds')
    .addOption(usernameOption())
    .addOption(planOption())
    .addOption(jsonOption())
    .action(({ username, plan, json }: Named & { plan: string }) =>
      withAccounts(async (accounts, options) => {
        const changed = accountJson((await accounts.setPlan({ username, plan }, options)).account!);
        print(json, changed, `${changed.username} has the plan ${changed.plan}.`);
      }),
    );
  account
    .command('delete')
    .description('delete an account with all of its links and clicks, for good')
    .addOption(usernameOption())
    .addOption(new Option('--yes', 'do not ask'))
    .addOption(jsonOption())
    .action(({ username, yes, json }: Named & { yes?: boolean }) =>
      withAccounts(async (accounts, options) => {
        if (!yes) {
          await accounts.getAccount({ username }, options);
          await confirm(`Delete the account ${username} with all of its links and clicks, for good?`);
        }
        await accounts.deleteAccount({ username }, options);
        print(json, { username, deleted: true }, `Deleted the account ${username}.`);
      }),
    );
  return account;
}

function accountTable(accounts: readonly AccountJson[]): string {
  const yes = (works: boolean) => (works ? 'yes' : 'no');
  return table(
    ['USERNAME', 'PLAN', 'CREATED', 'LIVE KEY', 'PUBLIC KEY'],
    accounts.map(({ username, plan, created_at, keys }) => [
      username,
      plan,
      created_at,
      yes(keys.live),
      yes(keys.public),
    ]),
  );
}
