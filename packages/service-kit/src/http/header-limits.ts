import { ADDED_QUERY_MAX_LENGTH, DESTINATION_MAX_LENGTH } from '@waymark/contract';

/** The most bytes of a client's request line and headers. This is Node's default. A longer request gets 431. */
export const REQUEST_HEADERS_MAX_BYTES = 16 * 1_024;

/** The same limit behind the gateway, which adds the client's address and identity, the request id and the trace. */
export const FORWARDED_HEADERS_MAX_BYTES = REQUEST_HEADERS_MAX_BYTES + 4 * 1_024;

/** A code point has at most four bytes in UTF-8, each escaped as `%XX`. Host names grow less. */
const ESCAPED_CODE_POINT_BYTES = 12;
/** A request target is ASCII, so each character becomes at most one `%XX`. */
const ESCAPED_QUERY_BYTES = 3;

/** The longest `Location`: the longest destination, `?` or `&`, and the longest query that is added, all escaped. */
export const LOCATION_MAX_BYTES =
  DESTINATION_MAX_LENGTH * ESCAPED_CODE_POINT_BYTES + 1 + ADDED_QUERY_MAX_LENGTH * ESCAPED_QUERY_BYTES;

/** The most header bytes in a response between services: the longest `Location` and room for the other headers. */
export const RESPONSE_HEADERS_MAX_BYTES = LOCATION_MAX_BYTES + 16 * 1_024;
