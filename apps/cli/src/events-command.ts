import { type components, listEvents, type paths } from '@waymark/client';
import { print } from '@waymark/terminal';
import type { Command } from 'commander';
import { queryParameters } from './api-document.ts';
import { CliError, EXIT } from './cli-error.ts';
import { connect } from './connection.ts';
import { interrupted } from './interruption.ts';
import { addCommand, addFields, sentFields, type Values } from './options.ts';
import { lineWidth, oneLine } from './output/print.ts';
import { cut } from './output/table.ts';

type AccountEvent = components['schemas']['AccountEvent'];
type EventsQuery = NonNullable<paths['/api/v1/events']['get']['parameters']['query']>;

const { limit: _, dir: __, ...QUERY } = queryParameters('listEvents');
const TYPE_WIDTH = 'account.plan_changed'.length;

/** Adds `events`. */
export function addEventsCommand(program: Command): void {
  addFields(addCommand(program, 'events', 'show the last 25 events of the account, or all after one'), QUERY)
    .option('--follow', 'wait for new events, until Ctrl-C')
    .action(async ({ follow = false, ...values }: Values & { follow?: boolean }) => {
      // An outage ends no watch.
      const client = await connect(follow ? { retries: Number.POSITIVE_INFINITY } : {});
      let { after, ...query }: EventsQuery = sentFields(QUERY, values);
      const show = (event: AccountEvent) => {
        print(values.json, event, eventText(event));
        after = event.id;
      };
      try {
        if (after === undefined) {
          const { events } = await client.get('/api/v1/events', { query: { ...query, dir: 'desc' } });
          for (const event of events.reverse()) show(event);
          if (!follow) return;
        }
        for await (const event of listEvents(
          client,
          { ...query, ...(after && { after }) },
          { follow, signal: interrupted },
        ))
          show(event);
      } catch (error) {
        if (!interrupted.aborted || after === undefined) throw error;
        throw new CliError(`Interrupted; --after ${after} goes on.`, EXIT.interrupted);
      }
    });
}

function eventText({ type, created_at, actor, data }: AccountEvent): string {
  const { link, changes, host, passkey, webhook, ...others } = data as Record<
    string,
    Record<string, unknown> | undefined
  >;
  const subject = link
    ? [link.host, link.slug ?? link.id].filter(Boolean).join('/')
    : (host?.host ??
      passkey?.name ??
      webhook?.url ??
      Object.entries(others)
        .map(([name, value]) => `${name} ${value}`)
        .join(', '));
  const changed = changes === undefined ? '' : ` (${Object.keys(changes).join(', ')})`;
  const by = actor === undefined ? '' : ` by ${[actor.kind, actor.name ?? actor.hint].filter(Boolean).join(' ')}`;
  const time = created_at.slice(0, 19).replace('T', ' ');
  return cut(oneLine(`${time}  ${type.padEnd(TYPE_WIDTH)}  ${subject}${changed}${by}`), lineWidth());
}
