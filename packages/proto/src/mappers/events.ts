import { create, type JsonObject } from '@bufbuild/protobuf';
import { type AccountEvent, Actor, type EventList, type ListEventsQuery, noticeOf } from '@waymark/contract';
import {
  type ListEventsRequest,
  ListEventsRequestSchema,
  type ListEventsResponse,
  ListEventsResponseSchema,
} from '../gen/events/v1/events_pb.ts';
import { type Actor as ActorMessage, ActorSchema } from '../gen/jobs/v1/jobs_pb.ts';
import { jsonFields, jsonFromMessage, namesOf, nullableNamesOf, setFields } from './json-fields.ts';
import { textOfTime, timeOfText } from './time.ts';

const ACTOR = jsonFields<Actor, ActorMessage>(ActorSchema, namesOf(Actor));
const NULLABLE = nullableNamesOf(Actor);

/** Converts a query, of which fields may be missing, to a message. */
export function listEventsRequest(query: Partial<ListEventsQuery>): ListEventsRequest {
  const { link_id: linkId, ...rest } = query;
  return create(ListEventsRequestSchema, { ...rest, ...(linkId !== undefined && { linkId }) });
}

/** Converts a message back to the unvalidated query (inverse of {@link listEventsRequest}). */
export function listEventsQuery({ after, types, linkId, limit, dir }: ListEventsRequest): unknown {
  return {
    ...(after !== undefined && { after }),
    ...(types !== undefined && { types }),
    ...(linkId !== undefined && { link_id: linkId }),
    ...(limit !== 0 && { limit }),
    ...(dir !== '' && { dir }),
  };
}

/** Converts events to a message. */
export function eventListToMessage({ events, next, notice }: EventList): ListEventsResponse {
  return create(ListEventsResponseSchema, {
    events: events.map(({ id, type, created_at, actor, data }) => ({
      id,
      type,
      createdAt: timeOfText(created_at),
      ...(actor !== undefined && { actor: setFields(create(ActorSchema), ACTOR, actor) }),
      data: data as JsonObject,
    })),
    next,
    ...(notice !== undefined && { notice }),
  });
}

/** Converts a message back to events (inverse of {@link eventListToMessage}). */
export function eventListFromMessage({ events, next, notice }: ListEventsResponse): EventList {
  return {
    events: events.map(({ id, type, createdAt, actor, data }) => ({
      id,
      type: type as AccountEvent['type'],
      created_at: textOfTime(createdAt!),
      ...(actor !== undefined && { actor: jsonFromMessage(actor, ACTOR, NULLABLE, 'the actor') as Actor }),
      data: data!,
    })),
    next,
    ...noticeOf([notice]),
  };
}
