import { EVENTS_MAX } from '@waymark/contract';
import { eventListFromMessage, listEventsRequest } from '@waymark/proto';
import { Command, Option } from 'commander';
import { withServices } from './connection.ts';
import { lineOf } from './event-line.ts';
import { jsonOption, usernameOption } from './options.ts';

interface Selected {
  username: string;
  after?: string;
  types?: string;
  json?: boolean;
}

/** Returns the command `admin events`. */
export function eventsCommand(): Command {
  return new Command('events')
    .description('print what happened in an account and who did it, oldest first, one event a line')
    .addOption(usernameOption())
    .addOption(new Option('--after <id>', 'only events after this one'))
    .addOption(new Option('--types <types>', 'only these types, separated by commas'))
    .addOption(jsonOption())
    .action(({ username, after, types, json }: Selected) =>
      withServices(async ({ events }, callOptions) => {
        for (let last = after; ; ) {
          const query = listEventsRequest({
            limit: EVENTS_MAX,
            ...(types !== undefined && { types }),
            ...(last !== undefined && { after: last }),
          });
          const answer = await events.listAccountEvents({ username, query }, await callOptions());
          const { events: page, next } = eventListFromMessage(answer.list!);
          for (const event of page) process.stdout.write(`${json ? JSON.stringify(event) : lineOf(event)}\n`);
          if (next === last) return;
          last = next;
        }
      }),
    );
}
