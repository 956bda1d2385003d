import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** Returns a moment as a protobuf timestamp. */
export function timeToMessage(time: Date): Timestamp {
  return timestampFromDate(time);
}

/** The inverse of {@link timeToMessage}; what is finer than a millisecond is lost. */
export function timeFromMessage(timestamp: Timestamp): Date {
  return timestampDate(timestamp);
}

/** Returns a moment of the JSON API (RFC 3339) as a protobuf timestamp. */
export function timeOfText(text: string): Timestamp {
  return timeToMessage(new Date(text));
}

/** Returns a protobuf timestamp as the JSON API shows it: RFC 3339, UTC, milliseconds. */
export function textOfTime(timestamp: Timestamp): string {
  return timeFromMessage(timestamp).toISOString();
}
