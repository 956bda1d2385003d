import type { AccountDraft } from '../changes/account-draft.ts';
import { redirectId } from './redirect-id.ts';
import { generateSlug } from './slug-generator.ts';

/**
 * Returns a generated slug, of a link that is about to be added to the draft. Its redirect is not read: if another link has
 * the slug, the transaction fails and is repeated with another one.
 */
export function newSlug({ documents: { redirects } }: AccountDraft, hostId: string | null): string {
  for (;;) {
    const slug = generateSlug();
    const id = redirectId(hostId, slug);
    if (redirects.isKnown(id)) continue;
    redirects.expectNone(id);
    return slug;
  }
}
