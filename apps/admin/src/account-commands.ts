import { ROLES, type Role } from '@waymark/contract';
import { textOfTime } from '@waymark/proto';
import { print } from '@waymark/terminal';
import { Command, Option } from 'commander';
import { confirm } from './confirm.ts';
import { withAccounts } from './connection.ts';
import { jsonOption, planOption, usernameOption } from './options.ts';
import { type AccountJson, accountJson, table } from './output.ts';

interface Named {
  username: string;
  json?: boolean;
}

const PAGE_SIZE = 1000;

/** Returns the command `admin account …`. */
export function accountCommand(): Command {
  const account = new Command('account').description('manage accounts and their plans');
  account
    .command('create')
    .description('create an account and print its two keys, which are shown only once')
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
          `Created the account ${made.account!.username} (${made.account!.plan}). Its keys are shown only once:\n` +
            `  Full Access        ${keys.live}\n  Public Links Only  ${keys.public}`,
        );
      }),
    );
  account
    .command('list')
    .description('list all accounts')
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
    .description('show an account')
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
    .command('sign-in-link')
    .description('print a link to sign in to the dashboard, which works once, for 15 minutes')
    .addOption(usernameOption())
    .addOption(new Option('--role <role>', 'what its holder may do').choices(ROLES).default('owner'))
    .addOption(jsonOption())
    .action(({ username, role, json }: Named & { role: Role }) =>
      withAccounts(async (accounts, options) => {
        const { url, expiresAt } = await accounts.createSignInLink({ username, role }, options);
        const expires_at = textOfTime(expiresAt!);
        print(
          json,
          { username, url, expires_at },
          `Sign in to the dashboard as ${role} of ${username} with this link. It works once, for 15 minutes:\n  ${url}`,
        );
      }),
    );
  account
    .command('sign-out')
    .description('end all sessions of the dashboard and its unused sign-in links, within 5 seconds; keys keep working')
    .addOption(usernameOption())
    .addOption(jsonOption())
    .action(({ username, json }: Named) =>
      withAccounts(async (accounts, options) => {
        await accounts.signOut({ username }, options);
        print(json, { username, signed_out: true }, `Ended all sessions of ${username}.`);
      }),
    );
  account
    .command('delete')
    .description('permanently delete an account with all of its links and clicks')
    .addOption(usernameOption())
    .addOption(new Option('--yes', 'skip the confirmation'))
    .addOption(jsonOption())
    .action(({ username, yes, json }: Named & { yes?: boolean }) =>
      withAccounts(async (accounts, options) => {
        if (!yes) {
          await accounts.getAccount({ username }, options);
          await confirm(`Permanently delete the account ${username} with all of its links and clicks?`);
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
