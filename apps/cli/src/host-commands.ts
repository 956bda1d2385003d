import type { Client, components } from '@waymark/client';
import { print } from '@waymark/terminal';
import type { Command } from 'commander';
import { fieldsOf } from './api-document.ts';
import { confirm } from './ask.ts';
import { CliError, EXIT } from './cli-error.ts';
import { connect } from './connection.ts';
import { addCommand, addFields, sentFields, type Values } from './options.ts';
import { details, table } from './output/table.ts';

type Host = components['schemas']['Host'];

const UPDATE = fieldsOf('UpdateHostInput');

/** Adds `hosts …`. */
export function addHostCommands(program: Command): void {
  const hosts = program.command('hosts').description('list and manage the short hosts of the account');

  addCommand(hosts, 'list', 'list the hosts').action(async ({ json }: Values) => {
    const list = await (await connect()).get('/api/v1/hosts');
    print(json, list, hostsText(list.hosts));
  });

  addCommand(hosts, 'add <host>', 'add a host, and show the TXT record that proves that it is yours').action(
    async (name: string, { json }: Values) => {
      const host = await (await connect()).post('/api/v1/hosts', { body: { host: name } });
      print(json, host, hostText(host));
    },
  );

  addCommand(hosts, 'get <host>', 'show a host and its TXT record').action(async (name: string, { json }: Values) => {
    const host = await hostNamed(await connect(), name);
    print(json, host, hostText(host));
  });

  addCommand(hosts, 'verify <host>', 'look for the TXT record now').action(async (name: string, { json }: Values) => {
    const client = await connect();
    const { id } = await hostNamed(client, name);
    const host = await client.post('/api/v1/hosts/{id}/verify', { path: { id } });
    print(json, host, hostText(host));
    if (host.status !== 'verified') process.exitCode = EXIT.failed;
  });

  addFields(addCommand(hosts, 'update <host>', 'change where / and unknown paths of a host lead'), UPDATE).action(
    async (name: string, values: Values) => {
      const client = await connect();
      const { id } = await hostNamed(client, name);
      const host = await client.put('/api/v1/hosts/{id}', { path: { id }, body: sentFields(UPDATE, values) });
      print(values.json, host, hostText(host));
    },
  );

  addCommand(hosts, 'delete <host>', 'delete a host that no link uses')
    .option('--yes', 'do not ask')
    .action(async (name: string, { yes, json }: Values) => {
      const client = await connect();
      const { id, host } = await hostNamed(client, name);
      if (!yes) await confirm(`Delete ${host}?`);
      await client.delete('/api/v1/hosts/{id}', { path: { id } });
      print(json, { host, deleted: true }, `Deleted ${host}.`);
    });
}

async function hostNamed(client: Client, name: string): Promise<Host> {
  const { hosts } = await client.get('/api/v1/hosts');
  const found = hosts.find(({ id, host }) => id === name || host === name.toLowerCase());
  if (found === undefined) throw new CliError(`The account has no host ${JSON.stringify(name)}.`, EXIT.notFound);
  return found;
}

function hostsText(hosts: Host[]): string {
  if (hosts.length === 0) return 'No hosts beside the default one.';
  return table(
    [
      { title: 'HOST', value: ({ host }) => host, min: 20 },
      { title: 'STATUS', value: ({ status }) => status },
      { title: 'ROOT', value: ({ root_url }) => root_url, min: 14, droppedAt: 2 },
      { title: 'NOT FOUND', value: ({ not_found_url }) => not_found_url, min: 14, droppedAt: 3 },
      {
        title: 'CHECKED',
        value: ({ checked_at }) => checked_at?.slice(0, 16).replace('T', ' ') ?? 'never',
        droppedAt: 1,
      },
    ],
    hosts,
  );
}

function hostText({ host, status, txt, root_url, not_found_url, checked_at, notice }: Host): string {
  const facts = details({
    host,
    status,
    'TXT record': txt.name,
    value: txt.value,
    root: root_url,
    'not found': not_found_url,
    checked: checked_at,
  });
  return notice === undefined ? facts : `${facts}\n${notice}`;
}
