import type { Collection } from 'mongodb';
import type { AccountDocument, DeletedAccountDocument } from '../accounts/account.ts';
import type { DeletedLinkDocument } from '../links/deleted-link.ts';
import type { IdempotencyDocument } from '../links/idempotency.ts';
import type { LinkDocument } from '../links/link.ts';
import type { UpgradeDocument } from './upgrade-links.ts';

/** The collections of the database and their documents. */
export interface Collections {
  accounts: Collection<AccountDocument>;
  deletedAccounts: Collection<DeletedAccountDocument>;
  links: Collection<LinkDocument>;
  deletedLinks: Collection<DeletedLinkDocument>;
  idempotency: Collection<IdempotencyDocument>;
  upgrades: Collection<UpgradeDocument>;
}
