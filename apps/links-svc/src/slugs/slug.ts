import { randomBytes } from 'node:crypto';

/**
 * The claim of an account on a slug. It is written before a link with this slug, and removed after the link. So an
 * account that has a link with a slug always has the claim, and no other account can have a link with it (ADR 41).
 */
export interface SlugDocument {
  /** The slug key. */
  _id: string;
  account_id: string;
  /** The link for which the slug was claimed last. Redirects look there first. */
  link_id: string;
  /** New at each use of the claim, so that a statement about an earlier use does nothing. */
  claim_id: string;
  /** Set once a claim that had no link was used again. Writes of several links may then be on their way. */
  shared?: true;
  /** When the slug was claimed last. */
  claimed_at: Date;
}

/** A link that has, or is about to get, a slug. */
export interface SlugHolder {
  _id: string;
  account_id: string;
  slug_key: string;
}

/**
 * From this age on, a claim without a link is free for any account. No write of its claimant can still be on its way:
 * it was sent within {@link WRITTEN_WITHIN_MS}, and TCP gives up after about 16 minutes.
 */
export const ABANDONED_AFTER_MS = 30 * 60_000;
/** A link is not written with a slug that was claimed longer ago. */
export const WRITTEN_WITHIN_MS = 60_000;
/**
 * From this age on, the account itself can use a claim without a link for another link. This is safe at any age, because
 * a slug is unique in its account; but the link is usually about to be written.
 */
export const REUSED_AFTER_MS = 10_000;

/** Returns the claim of a link on its slug. */
export function slugDocument({ _id, account_id, slug_key }: SlugHolder, claimed_at: Date): SlugDocument {
  return { _id: slug_key, account_id, link_id: _id, claim_id: newClaimId(), claimed_at };
}

export function newClaimId(): string {
  return randomBytes(12).toString('base64url');
}
