import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** Converts a date to a protobuf timestamp. */
export function timeToMessage(time: Date): Timestamp {
  return timestampFromDate(time);
}

/** Converts a protobuf timestamp to a date. Precision below a millisecond is lost. */
export function timeFromMessage(timestamp: Timestamp): Date {
  return timestampDate(timestamp);
}

/** Converts a time of the JSON API (RFC 3339) to a protobuf timestamp. */
export function timeOfText(text: string): Timestamp {
  return timeToMessage(new Date(text));
}

/** Converts a protobuf timestamp to a time of the JSON API: RFC 3339, UTC, with milliseconds. */
export function textOfTime(timestamp: Timestamp): string {
  return timeFromMessage(timestamp).toISOString();
}
