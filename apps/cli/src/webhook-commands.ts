import type { components } from '@waymark/client';
import { print } from '@waymark/terminal';
import type { Command } from 'commander';
import { fieldsOf } from './api-document.ts';
import { confirm } from './ask.ts';
import { connect } from './connection.ts';
import { addCommand, addFields, sentFields, type Values } from './options.ts';
import { withoutScheme } from './output/print.ts';
import { details, table } from './output/table.ts';

type Webhook = components['schemas']['Webhook'];
type NewWebhook = components['schemas']['NewWebhook'];
type Delivery = components['schemas']['Delivery'];

const { url: _, types: __, ...CREATE } = fieldsOf('CreateWebhookInput');
const UPDATE = fieldsOf('UpdateWebhookInput');
const PATH = '/api/v1/webhooks/{id}';

/** Adds `webhooks …`. */
export function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhooks').description('list and manage where events are sent');

  addCommand(webhooks, 'list', 'list the webhooks').action(async ({ json }: Values) => {
    const list = await (await connect()).get('/api/v1/webhooks');
    print(json, list, webhooksText(list.webhooks));
  });

  const create = addCommand(webhooks, 'create <url> <types...>', 'create a webhook, and show its secret once');
  addFields(create, CREATE).action(async (url: string, types: string[], values: Values) => {
    const body = { url, types: types as Webhook['types'], ...sentFields(CREATE, values) };
    const webhook = await (await connect()).post('/api/v1/webhooks', { body });
    print(values.json, webhook, webhookText(webhook));
  });

  addCommand(webhooks, 'get <id>', 'show a webhook').action(async (id: string, { json }: Values) => {
    const webhook = await (await connect()).get(PATH, { path: { id } });
    print(json, webhook, webhookText(webhook));
  });

  addFields(addCommand(webhooks, 'update <id>', 'change a webhook, or stop it: --enabled false'), UPDATE).action(
    async (id: string, values: Values) => {
      const body = sentFields(UPDATE, values);
      const webhook = await (await connect()).put(PATH, { path: { id }, body });
      print(values.json, webhook, webhookText(webhook));
    },
  );

  addCommand(webhooks, 'delete <id>', 'delete a webhook')
    .option('--yes', 'do not ask')
    .action(async (id: string, { yes, json }: Values) => {
      const client = await connect();
      const sent = { path: { id } };
      if (!yes) await confirm(`Delete the webhook ${(await client.get(PATH, sent)).url}?`);
      await client.delete(PATH, sent);
      print(json, { id, deleted: true }, `Deleted ${id}.`);
    });

  addCommand(webhooks, 'rotate-secret <id>', 'give a webhook a new secret; the old one signs too for 24 hours').action(
    async (id: string, { json }: Values) => {
      const webhook = await (await connect()).post(`${PATH}/rotate-secret`, { path: { id } });
      print(json, webhook, webhookText(webhook));
    },
  );

  addCommand(webhooks, 'test <id>', 'send a test event').action(async (id: string, { json }: Values) => {
    await (await connect()).post(`${PATH}/test`, { path: { id } });
    print(json, { id, sent: true }, `The event will be sent; "waymark webhooks deliveries ${id}" shows how it went.`);
  });

  addCommand(webhooks, 'replay <id> <event>', 'send the events after this one again').action(
    async (id: string, after: string, { json }: Values) => {
      await (await connect()).post(`${PATH}/replay`, { path: { id }, body: { after } });
      print(json, { id, after }, 'The events will be sent again.');
    },
  );

  addCommand(webhooks, 'deliveries <id>', 'list the last deliveries').action(async (id: string, { json }: Values) => {
    const list = await (await connect()).get(`${PATH}/deliveries`, { path: { id } });
    print(json, list, deliveriesText(list.deliveries));
  });
}

function webhooksText(webhooks: Webhook[]): string {
  if (webhooks.length === 0) return 'No webhooks.';
  return table(
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'STATE', value: stateOf },
      { title: 'URL', value: ({ url }) => withoutScheme(url), min: 20 },
      { title: 'TYPES', value: ({ types }) => types.join(' '), min: 14, droppedAt: 1 },
      { title: 'HASHTAG', value: ({ hashtag }) => hashtag, min: 10, droppedAt: 2 },
      { title: 'SCOPE', value: ({ scope }) => scope, droppedAt: 3 },
    ],
    webhooks,
  );
}

function stateOf({ enabled, failing_since }: Webhook): string {
  if (!enabled) return 'disabled';
  return failing_since === null ? 'enabled' : 'failing';
}

function webhookText(webhook: Webhook | NewWebhook): string {
  const { id, url, types, scope, hashtag, disabled_reason, failing_since } = webhook;
  return details({
    id,
    url,
    secret: 'secret' in webhook ? webhook.secret : null,
    types: types.join(' '),
    scope,
    hashtag,
    state: stateOf(webhook),
    'disabled because': disabled_reason,
    'failing since': failing_since,
    notice: webhook.notice ?? null,
  });
}

function deliveriesText(deliveries: Delivery[]): string {
  if (deliveries.length === 0) return 'No deliveries.';
  return table(
    [
      { title: 'AT', value: ({ at }) => at.slice(0, 19).replace('T', ' ') },
      { title: 'TYPE', value: ({ type }) => type },
      { title: 'ATTEMPT', value: ({ attempt }) => attempt, droppedAt: 2 },
      { title: 'STATUS', value: ({ status }) => (status === null ? 'none' : String(status)) },
      { title: 'MS', value: ({ duration_ms }) => duration_ms, droppedAt: 3 },
      { title: 'ERROR', value: ({ error }) => error, min: 12 },
      { title: 'EVENT', value: ({ event_id }) => event_id, droppedAt: 1 },
    ],
    deliveries,
  );
}
