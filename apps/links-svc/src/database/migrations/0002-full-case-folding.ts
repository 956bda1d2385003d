import type { AnyBulkWriteOperation } from 'mongodb';
import { foldForSearch, searchTextOf } from '../../search-text.ts';
import type { LinkDocument } from '../documents/link.ts';
import type { Migration } from './migration.ts';

const WRITTEN_AT_A_TIME = 500;

/** Folds the texts of links again: `ß` was not `ss`, and `İ` was not `i`. */
export const fullCaseFolding: Migration = {
  number: 2,
  name: 'full-case-folding',
  async run({ accounts, links }) {
    for await (const account of accounts.find({}, { projection: { _id: 1 } })) {
      let writes: AnyBulkWriteOperation<LinkDocument>[] = [];
      const write = async () => {
        if (writes.length > 0) await links.bulkWrite(writes, { ordered: false });
        writes = [];
      };
      for await (const link of links.find({ account_id: account._id })) {
        const { _id, account_id, title, title_key, search_text } = link;
        const folded = { title_key: title === null ? null : foldForSearch(title), search_text: searchTextOf(link) };
        if (folded.title_key === title_key && folded.search_text === search_text) continue;
        // A link that is changed in between has its new texts already.
        writes.push({ updateOne: { filter: { _id, account_id, title_key, search_text }, update: { $set: folded } } });
        if (writes.length === WRITTEN_AT_A_TIME) await write();
      }
      await write();
    }
  },
};
