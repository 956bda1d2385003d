import { Double } from 'bson';

/** `1.0`, the `ok` of every reply of a command that succeeded. */
export const OK = new Double(1);
