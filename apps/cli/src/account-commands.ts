import { createClient } from '@waymark/client';
import { print } from '@waymark/terminal';
import { type Command, Option } from 'commander';
import { askSecret } from './ask.ts';
import { connect } from './connection.ts';
import { interrupted } from './interruption.ts';
import { addCommand } from './options.ts';
import { noteOnTerminal } from './output/print.ts';
import { details } from './output/table.ts';
import { checkedUrl, storeConnection } from './settings.ts';

/** Adds `login` and `whoami`. */
export function addAccountCommands(program: Command): void {
  addCommand(program, 'login', 'store the address and the API key; the key is asked for, or read from standard input')
    .addOption(new Option('--url <url>', 'the base URL of the API, such as https://go.example').makeOptionMandatory())
    .action(async ({ url, json }: { url: string; json?: boolean }) => {
      const base = checkedUrl(url);
      if (base.startsWith('http:') && !['localhost', '127.0.0.1', '[::1]'].includes(new URL(base).hostname))
        noteOnTerminal('The connection is not encrypted; use https if the network is not yours.');
      const key = await askSecret(`API key for ${base}: `);
      const account = await createClient({ url: base, key, signal: interrupted }).get('/api/v1/me');
      const file = await storeConnection({ url: base, key });
      print(json, { ...account, url: base, file }, `Signed in as ${account.username}; the key is in ${file}.`);
    });
  addCommand(program, 'whoami', 'show the account and the key').action(async ({ json }: { json?: boolean }) => {
    const client = await connect();
    const account = await client.get('/api/v1/me');
    const { username, plan, key_scope, key } = account;
    const text = details({
      account: username,
      plan,
      key: key === undefined ? key_scope : `${key.name} (${key_scope}: ${key.actions.join(', ')})`,
      hashtag: key?.hashtag ?? null,
      expires: key?.expires_at ?? null,
      address: client.url,
    });
    print(json, { ...account, url: client.url }, text);
  });
}
