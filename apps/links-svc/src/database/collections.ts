import type { Collection } from 'mongodb';
import type { AccountDocument, DeletedAccountDocument } from '../accounts/account.ts';
import type { DeletedLinkDocument } from '../deletions/deleted-link.ts';
import type { EventDocument } from '../events/event.ts';
import type { IdempotencyDocument } from '../idempotency/idempotency.ts';
import type { LinkDocument } from '../links/link.ts';
import type { SessionDocument, SignInLinkDocument } from '../sessions/session.ts';
import type { SlugDocument } from '../slugs/slug.ts';
import type { VisitorKeyDocument } from '../visitors/visitor-key.ts';
import type { UpgradeDocument } from './upgrade-links.ts';

/** The collections of the database and their documents. */
export interface Collections {
  accounts: Collection<AccountDocument>;
  deletedAccounts: Collection<DeletedAccountDocument>;
  links: Collection<LinkDocument>;
  slugs: Collection<SlugDocument>;
  deletedLinks: Collection<DeletedLinkDocument>;
  events: Collection<EventDocument>;
  idempotency: Collection<IdempotencyDocument>;
  sessions: Collection<SessionDocument>;
  signInLinks: Collection<SignInLinkDocument>;
  upgrades: Collection<UpgradeDocument>;
  visitorKeys: Collection<VisitorKeyDocument>;
}
