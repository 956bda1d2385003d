import { AppError } from '@waymark/contract';
import type { AccountDraft } from '../changes/account-draft.ts';
import { allReads } from '../changes/all-of.ts';
import { type ChangeReads, RepeatChange } from '../changes/change.ts';
import { newLinkId } from '../database/ids.ts';
import { errorAsValueSync } from '../links/error-as-value.ts';
import { newLink } from '../links/link.ts';
import { createLink, findLink, LINK_CHANGE_BYTES } from '../links/link-changes.ts';
import { checkCreation, checkDestinations, fieldsToCreate, slugTaken } from '../links/link-input.ts';
import { refOfSlug } from '../links/link-ref.ts';
import { LinkScope } from '../links/link-scope.ts';
import type { LinksStore } from '../links/links.store.ts';
import { redirectId } from '../slugs/redirect-id.ts';
import { generateSlug } from '../slugs/slug-generator.ts';
import { type RowLink, rowHash } from './import-row.ts';
import type { ImportedRows, JobDocument } from './job.ts';
import type { PartWork } from './job-steps.ts';
import { type PartItem, UNCHANGED } from './part-items.ts';

/** Returns what a job does with the rows of one of its parts. */
export async function workOnRows(
  { list, before }: ImportedRows,
  job: JobDocument,
  { links, publicUrl }: { links: Pick<LinksStore, 'idsOfImportedRows'>; publicUrl: string },
): Promise<PartWork> {
  const { account_id, created_at, matched } = job;
  const hashes = list.map((stored) => ('link' in stored ? rowHash(account_id, stored.link) : null));
  const known = await links.idsOfImportedRows(
    account_id,
    hashes.filter((hash) => hash !== null),
  );
  const startMs = created_at.getTime() - matched + before;
  const items = list.map((stored, position): RowItem => {
    const id = String(stored.row);
    if ('error' in stored) return { id, reads: () => ({}), decide: () => refuse(stored.error) };
    const hash = hashes[position]!;
    // Without creation times, links have the order of the file.
    const linkId = newLinkId(account_id, stored.link.created_at?.getTime() ?? startMs + position);
    const madeBefore = known.get(hash) ?? [];
    // The same row may come again in this part.
    known.set(hash, [...madeBefore, linkId]);
    return { id, ...creation({ ...stored.link, linkId, hash, madeBefore }, job, publicUrl) };
  });
  return {
    items,
    reads: () => allReads(items.map((item) => item.reads())),
    bytes: list.length * LINK_CHANGE_BYTES + 2 * JSON.stringify(list).length,
  };
}

interface RowItem extends PartItem {
  reads(): ChangeReads;
}

interface NewRow extends RowLink {
  /** The id of its link if it is created. */
  linkId: string;
  hash: string;
  /** The links that the same row may have made before. */
  madeBefore: readonly string[];
}

/** Returns the creation of the link of a row, unless the link is there. */
function creation(row: NewRow, { account_id, scope }: JobDocument, publicUrl: string): Omit<RowItem, 'id'> {
  const { input, linkId, hash, madeBefore } = row;
  const visible = new LinkScope({ accountId: account_id, scope });
  const fault = errorAsValueSync(() => {
    checkCreation(scope, input);
    checkDestinations(input, publicUrl);
  });
  let slug = '';
  return {
    reads() {
      // A repeated transaction tries another slug.
      slug = input.slug ?? generateSlug();
      return {
        links: [...madeBefore, linkId],
        redirects: [redirectId(null, slug)],
        linksOfRedirects: input.slug !== undefined,
      };
    },
    decide(draft, job) {
      if (isThere(draft, visible, row)) return UNCHANGED;
      if (fault instanceof AppError) throw fault;
      if (input.slug === undefined && draft.documents.redirects.get(redirectId(null, slug)) !== null)
        throw new RepeatChange('a generated slug is taken');
      createLink(draft, newLink(linkId, account_id, { ...fieldsToCreate(input, null), slug }, hash), job.actor);
      return { count: 'created', undo: { id: linkId } };
    },
  };
}

/**
 * Returns true if the row made a link that is still there, or if its slug leads to its destination on a link that the
 * scope includes.
 */
function isThere(draft: AccountDraft, scope: LinkScope, { input, madeBefore }: NewRow): boolean {
  if (madeBefore.some((id) => findLink(draft, scope, { id }) !== null)) return true;
  if (input.slug === undefined) return false;
  if (draft.documents.redirects.get(redirectId(null, input.slug)) === null) return false;
  if (findLink(draft, scope, refOfSlug(input.slug))?.destination_url === input.destination_url) return true;
  throw slugTaken(input.slug);
}

function refuse(reason: string): never {
  throw new AppError('invalid', reason);
}
