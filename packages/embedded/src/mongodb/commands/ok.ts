/** The `ok` field of every successful reply. */
export const OK = 1;
