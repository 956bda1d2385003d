import type { Migration } from './migration.ts';

/** The links that an import made, by their rows. docs/links-queries.md explains it. */
export const IMPORTED_ROW_INDEX = { key: { imported_row: 1 }, name: 'imported_row', sparse: true } as const;

/** Creates the index by which a repeated import finds the links of its rows. */
export const importedRows: Migration = {
  number: 5,
  name: 'imported-rows',
  async run({ links }) {
    await links.createIndexes([IMPORTED_ROW_INDEX]);
  },
};
