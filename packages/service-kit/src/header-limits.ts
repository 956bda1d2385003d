import { DESTINATION_MAX_LENGTH } from '@waymark/contract';

/** The longest request line and headers of a client that are read, as Node has it by default; more is 431. */
export const REQUEST_HEADERS_MAX_BYTES = 16 * 1_024;

/** The same behind the gateway, which adds who the client is, the request's id and its trace. */
export const FORWARDED_HEADERS_MAX_BYTES = REQUEST_HEADERS_MAX_BYTES + 4 * 1_024;

/** A code point is four bytes in UTF-8 and each of them `%` and two digits; host names grow less. */
const ESCAPED_CODE_POINT_BYTES = 12;
/** A request target is ASCII. */
const ESCAPED_QUERY_BYTES = 3;

/** The longest `Location`: the longest destination, `?` or `&`, and the longest query of a visitor, all escaped. */
export const LOCATION_MAX_BYTES =
  DESTINATION_MAX_LENGTH * ESCAPED_CODE_POINT_BYTES + 1 + FORWARDED_HEADERS_MAX_BYTES * ESCAPED_QUERY_BYTES;

/** The longest headers that one service sends another: the longest `Location` and what else a response has. */
export const RESPONSE_HEADERS_MAX_BYTES = LOCATION_MAX_BYTES + 16 * 1_024;
