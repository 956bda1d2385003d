import type { JobChange } from '@waymark/contract';
import { foldHashtag } from '@waymark/contract';
import { checkKeepsHashtag, checkScopeOfUpdate, type Rights } from '../links/link-input.ts';

/**
 * Checks that the change of a job hides no link from whoever begins the job.
 * @throws {AppError} `forbidden`.
 */
export function checkScopeOfJobChange(rights: Rights, change: JobChange): void {
  checkScopeOfUpdate(rights, change);
  const own = rights.key?.hashtag ?? null;
  if (own === null) return;
  const removed = [...(change.remove_hashtags ?? []), ...(change.replace_hashtag ? [change.replace_hashtag.from] : [])];
  if (removed.map(foldHashtag).includes(own)) checkKeepsHashtag(rights.key, []);
}
