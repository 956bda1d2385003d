/** The `ok` of every reply of a command that succeeded. */
export const OK = 1;
