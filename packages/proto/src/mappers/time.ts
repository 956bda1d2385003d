import { type Timestamp, timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { AppError, INTERNAL_MESSAGE } from '@waymark/contract';

/** A moment of the JSON API (RFC 3339, UTC, milliseconds) as a protobuf timestamp. */
export function timeToMessage(time: string): Timestamp {
  return timestampFromMs(Date.parse(time));
}

/** The inverse of {@link timeToMessage}; null where there is none. */
export function timeOrNull(timestamp: Timestamp | undefined): string | null {
  return timestamp === undefined ? null : new Date(timestampMs(timestamp)).toISOString();
}

/** The inverse of {@link timeToMessage}. @throws {AppError} `internal` where a sister left out a time that it must give. */
export function getTime(timestamp: Timestamp | undefined, field: string): string {
  const time = timeOrNull(timestamp);
  if (time === null) throw new AppError('internal', INTERNAL_MESSAGE, { cause: new Error(`${field} is missing`) });
  return time;
}
