import { type Client, type components, listEvents, type paths } from '@waymark/client';
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
/** How many events are shown without `--after`. */
const SHOWN = 25;
const TYPE_WIDTH = 'account.plan_changed'.length;

/** Adds `events`. */
export function addEventsCommand(program: Command): void {
  addFields(addCommand(program, 'events', `show the last ${SHOWN} events of the account, or all after one`), QUERY)
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
          for (const event of await lastEvents(client, query)) show(event);
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

/** Returns the last events, oldest first. The API looks at a part of them for each request, and says if there are more. */
async function lastEvents(client: Client, query: EventsQuery): Promise<AccountEvent[]> {
  const found: AccountEvent[] = [];
  for (let before: EventsQuery = {}; ; ) {
    const sent = { query: { ...query, ...before, dir: 'desc' as const, limit: SHOWN } };
    const { events, next, notice } = await client.get('/api/v1/events', sent);
    found.push(...events);
    if (found.length >= SHOWN || notice === undefined) return found.slice(0, SHOWN).reverse();
    before = { after: next };
  }
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
