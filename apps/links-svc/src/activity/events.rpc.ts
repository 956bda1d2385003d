import { type Caller, requireAccount, requireService } from '@waymark/auth';
import { ListEventsQuery, validator } from '@waymark/contract';
import { eventListToMessage, type eventsV1, type Implementation, listEventsQuery } from '@waymark/proto';
import type { AccountsService } from '../accounts/accounts.service.ts';
import { adminIdentity } from '../transfer/admin-identity.ts';
import type { EventsService } from './events.service.ts';

const checkQuery = validator(ListEventsQuery);

export interface EventsRpcDeps {
  events: Pick<EventsService, 'list'>;
  accounts: Pick<AccountsService, 'get'>;
}

/** Implements `events.v1.EventsService`, with the rules of the REST API. */
export function eventsRpc({ events, accounts }: EventsRpcDeps): Implementation<typeof eventsV1.EventsService, Caller> {
  return {
    listEvents: async (request, { caller }) =>
      eventListToMessage(await events.list(requireAccount(caller.identity), checkQuery(listEventsQuery(request)))),
    listAccountEvents: async ({ username, query }, { caller }) => {
      requireService(caller.identity, 'admin');
      const checked = checkQuery(query === undefined ? {} : listEventsQuery(query));
      return { list: eventListToMessage(await events.list(await adminIdentity(accounts, username), checked)) };
    },
  };
}
