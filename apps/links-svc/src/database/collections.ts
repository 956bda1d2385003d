import type { Collection, Db } from 'mongodb';
import type { AccountDocument } from './documents/account.ts';
import type { ClickLimitDocument } from './documents/click-limit.ts';
import type { DeletedLinkDocument } from './documents/deleted-link.ts';
import type { CheckedHostDocument, DestinationDocument } from './documents/destination.ts';
import type { EventDocument } from './documents/event.ts';
import type { HostDocument } from './documents/host.ts';
import type { IdempotencyDocument } from './documents/idempotency.ts';
import type { JobDocument, JobPartDocument, JobUndoDocument } from './documents/job.ts';
import type { JobQueueDocument } from './documents/job-queue.ts';
import type { LeaseDocument } from './documents/lease.ts';
import type { LinkDocument } from './documents/link.ts';
import type { LinkExpiryDocument } from './documents/link-expiry.ts';
import type { MigrationDocument } from './documents/migration.ts';
import type { PasskeyDocument, UsedChallengeDocument } from './documents/passkey.ts';
import type { RedirectDocument } from './documents/redirect.ts';
import type { ReleasedHostDocument } from './documents/released-host.ts';
import type { SavedFiltersDocument } from './documents/saved-filters.ts';
import type { SessionDocument, SignInLinkDocument } from './documents/session.ts';
import type { VisitorKeyDocument } from './documents/visitor-key.ts';
import type { WebhookDocument } from './documents/webhook.ts';

/** The collections of the database and their documents. */
export interface Collections {
  accounts: Collection<AccountDocument>;
  links: Collection<LinkDocument>;
  linkExpiries: Collection<LinkExpiryDocument>;
  clickLimits: Collection<ClickLimitDocument>;
  redirects: Collection<RedirectDocument>;
  events: Collection<EventDocument>;
  deletedLinks: Collection<DeletedLinkDocument>;
  idempotency: Collection<IdempotencyDocument>;
  savedFilters: Collection<SavedFiltersDocument>;
  sessions: Collection<SessionDocument>;
  jobQueues: Collection<JobQueueDocument>;
  jobs: Collection<JobDocument>;
  jobParts: Collection<JobPartDocument>;
  jobUndo: Collection<JobUndoDocument>;
  leases: Collection<LeaseDocument>;
  signInLinks: Collection<SignInLinkDocument>;
  passkeys: Collection<PasskeyDocument>;
  usedChallenges: Collection<UsedChallengeDocument>;
  hosts: Collection<HostDocument>;
  releasedHosts: Collection<ReleasedHostDocument>;
  webhooks: Collection<WebhookDocument>;
  visitorKeys: Collection<VisitorKeyDocument>;
  destinations: Collection<DestinationDocument>;
  checkedHosts: Collection<CheckedHostDocument>;
  migrations: Collection<MigrationDocument>;
}

/** Returns the collections of a database. */
export function collectionsOf(db: Db): Collections {
  return {
    accounts: db.collection('accounts'),
    links: db.collection('links'),
    clickLimits: db.collection('click_limits'),
    linkExpiries: db.collection('link_expiries'),
    redirects: db.collection('redirects'),
    events: db.collection('events'),
    deletedLinks: db.collection('deleted_links'),
    idempotency: db.collection('idempotency'),
    savedFilters: db.collection('saved_filters'),
    sessions: db.collection('sessions'),
    jobQueues: db.collection('job_queues'),
    jobs: db.collection('jobs'),
    jobParts: db.collection('job_parts'),
    jobUndo: db.collection('job_undo'),
    leases: db.collection('leases'),
    signInLinks: db.collection('sign_in_links'),
    passkeys: db.collection('passkeys'),
    usedChallenges: db.collection('used_challenges'),
    hosts: db.collection('hosts'),
    releasedHosts: db.collection('released_hosts'),
    webhooks: db.collection('webhooks'),
    visitorKeys: db.collection('visitor_keys'),
    destinations: db.collection('destinations'),
    checkedHosts: db.collection('checked_hosts'),
    migrations: db.collection('migrations'),
  };
}
