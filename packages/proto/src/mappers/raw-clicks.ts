import { create } from '@bufbuild/protobuf';
import { RawClick } from '@waymark/contract';
import { type RawClick as RawClickMessage, RawClickSchema } from '../gen/analytics/v1/analytics_pb.ts';
import { jsonFields, jsonFromMessage, namesOf, nullableNamesOf, setFields } from './json-fields.ts';

type Texts = Omit<RawClick, 'device'> & { device: string };

const CLICK = jsonFields<Texts, RawClickMessage>(RawClickSchema, namesOf(RawClick));
const NULLABLE = nullableNamesOf(RawClick);

/** Converts a click of the JSON API to a message. */
export function rawClickToMessage(click: RawClick): RawClickMessage {
  return setFields(create(RawClickSchema), CLICK, click);
}

/**
 * Converts a message back to a click (inverse of {@link rawClickToMessage}).
 * @throws {AppError} `internal` if a field that is never null is missing.
 */
export function rawClickFromMessage(message: RawClickMessage): RawClick {
  return jsonFromMessage(message, CLICK, NULLABLE, 'a click') as RawClick;
}
