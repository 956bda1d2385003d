/** The most characters of a row. The longest link that Waymark can store has about 20,000. */
export const ROW_MAX_LENGTH = 131_072;
/** The most columns of a file, and cells of a row. */
export const COLUMNS_MAX = 1_000;
/** The most characters of a cell that becomes part of a link. */
export const CELL_MAX_LENGTH = 32_768;
/** The deepest nesting of JSON. */
export const DEPTH_MAX = 64;
/** The most tags, or back-halves, of a row. */
export const LIST_MAX = 100;
