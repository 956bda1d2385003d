import { AppError, slugKey } from '@waymark/contract';
import type { AccountDraft } from '../changes/account-draft.ts';
import { allReads } from '../changes/all-of.ts';
import type { Change, ChangeReads } from '../changes/change.ts';
import { decideEach } from '../changes/decide-each.ts';
import type { ImportedRows, JobDocument, RowLink, StoredRow } from '../database/documents/job.ts';
import { newLinkId } from '../database/ids.ts';
import type { HostsStore } from '../hosts/hosts.store.ts';
import { errorAsValueSync } from '../links/error-as-value.ts';
import { newLink } from '../links/link.ts';
import { createLink, findLink, LINK_CHANGE_BYTES } from '../links/link-changes.ts';
import { type ChosenHost, chooseHosts, linkHostOf } from '../links/link-host.ts';
import { checkCreation, fieldsToCreate, slugTaken } from '../links/link-input.ts';
import type { LinkScope } from '../links/link-scope.ts';
import type { LinksStore } from '../links/links.store.ts';
import { checkDestinations } from '../slugs/destinations.ts';
import { newSlug } from '../slugs/new-slug.ts';
import { redirectId } from '../slugs/redirect-id.ts';
import type { ShortUrls } from '../slugs/short-urls.ts';
import { rowHash } from './import-row.ts';
import { scopeOfJob } from './job.ts';
import type { PartWork } from './job-steps.ts';
import { type Outcome, type PartItem, UNCHANGED } from './part-items.ts';

interface WorkOnRowsDeps {
  links: Pick<LinksStore, 'idsOfImportedRows'>;
  hosts: Pick<HostsStore, 'idsOf'>;
  shortUrls: Pick<ShortUrls, 'isShortUrl'>;
}

/** What the links of rows have from their job. */
export type RowsJob = Pick<JobDocument, 'account_id' | 'created_at' | 'matched' | 'scope' | 'key' | 'actor'>;

/** Returns what a job does with the rows of one of its parts. */
export async function workOnRows(rows: ImportedRows, job: JobDocument, deps: WorkOnRowsDeps): Promise<PartWork> {
  const { list, unlisted } = rows;
  const items = await itemsOfRows(rows, job, deps);
  return {
    items,
    unlisted,
    reads: () => allReads(items.map((item) => item.reads())),
    // What undoes it has a copy of the fields.
    bytes: list.length * LINK_CHANGE_BYTES + 3 * JSON.stringify(list).length,
  };
}

/** Returns a change that does nothing. Its result is for each row why a job would refuse it, or null. */
export async function tryRows(
  list: readonly StoredRow[],
  job: RowsJob,
  deps: WorkOnRowsDeps,
): Promise<Change<(string | null)[]>> {
  const items = await itemsOfRows({ list, before: 0 }, job, deps);
  return {
    accountId: job.account_id,
    size: items.length,
    bytes: 0,
    reads: () => allReads(items.map((item) => item.reads())),
    decide(draft) {
      const { undo } = draft.documents;
      const outcomes = undo.tryOut(() => decideEach(undo, items, (item) => item.decide(draft)));
      return outcomes.map((outcome) => (outcome instanceof AppError ? outcome.message : null));
    },
  };
}

async function itemsOfRows(
  { list, before }: { list: readonly StoredRow[]; before: number },
  job: RowsJob,
  { links, hosts, shortUrls }: WorkOnRowsDeps,
): Promise<RowItem[]> {
  const { account_id, created_at, matched } = job;
  const hashes = list.map((stored) => ('link' in stored ? rowHash(account_id, stored.link) : null));
  const known = await links.idsOfImportedRows(
    account_id,
    hashes.filter((hash) => hash !== null),
  );
  const named = list.map((stored) => ('link' in stored ? stored.link.input.host : null));
  const hostOf = await chooseHosts(hosts, account_id, named);
  const startMs = created_at.getTime() - matched + before;
  return list.map((stored, position): RowItem => {
    const id = String(stored.row);
    if ('error' in stored) return { id, reads: () => ({}), decide: () => refuse(stored.error) };
    const hash = hashes[position]!;
    // Without creation times, links have the order of the file.
    const linkId = newLinkId(
      account_id,
      Math.min(stored.link.created_at?.getTime() ?? startMs + position, created_at.getTime()),
    );
    const madeBefore = known.get(hash) ?? [];
    // The same row may come again in this part.
    known.set(hash, [...madeBefore, linkId]);
    const host = hostOf(stored.link.input.host);
    return { id, ...creation({ ...stored.link, host, linkId, hash, madeBefore }, job, shortUrls) };
  });
}

interface RowItem extends PartItem {
  reads(): ChangeReads;
  decide(draft: AccountDraft): Outcome;
}

interface NewRow extends RowLink {
  /** The host that it names. */
  host: ChosenHost;
  /** The id of its link if it is created. */
  linkId: string;
  hash: string;
  /** The links that the same row may have made before. */
  madeBefore: readonly string[];
}

/** Returns the creation of the link of a row, unless the link is there. */
function creation(row: NewRow, job: RowsJob, shortUrls: Pick<ShortUrls, 'isShortUrl'>): Omit<RowItem, 'id'> {
  const { input, host: chosen, linkId, hash, madeBefore } = row;
  const hostId = chosen.host_id ?? null;
  const { account_id } = job;
  const visible = scopeOfJob(job);
  const fault = errorAsValueSync(() => {
    checkCreation(job, input);
    checkDestinations(input, shortUrls);
    linkHostOf(chosen);
  });
  return {
    reads: () => ({
      links: [...madeBefore, linkId],
      ...(input.slug !== undefined && { redirects: [redirectId(hostId, input.slug)], linksOfRedirects: true }),
    }),
    decide(draft) {
      // Its slug is looked for on its host, so there must be one.
      if (chosen.host_id === undefined) linkHostOf(chosen);
      if (isThere(draft, visible, row)) return UNCHANGED;
      if (fault instanceof AppError) throw fault;
      const slug = input.slug ?? newSlug(draft, hostId);
      const fields = { ...fieldsToCreate(job, input, linkHostOf(chosen), null), slug };
      createLink(draft, newLink(linkId, account_id, fields, hash), job.actor);
      return { count: 'created', undo: { id: linkId, created: fields } };
    },
  };
}

/**
 * Returns true if the row made a link that is still there, or if its slug leads to its destination on a link that the
 * scope includes.
 */
function isThere(draft: AccountDraft, scope: LinkScope, { input, host, madeBefore }: NewRow): boolean {
  if (madeBefore.some((id) => findLink(draft, scope, { id }) !== null)) return true;
  if (input.slug === undefined) return false;
  const ref = { hostId: host.host_id ?? null, slugKey: slugKey(input.slug) };
  if (draft.documents.redirects.get(redirectId(ref.hostId, ref.slugKey)) === null) return false;
  if (findLink(draft, scope, ref)?.destination_url === input.destination_url) return true;
  throw slugTaken(input.slug);
}

function refuse(reason: string): never {
  throw new AppError('invalid', reason);
}
