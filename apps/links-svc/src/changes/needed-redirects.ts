import type { AccountDraft } from './account-draft.ts';
import { RepeatChange } from './change.ts';

/** The redirects that a change turned out to need, because it depends on the link that it changes. */
export class NeededRedirects {
  readonly #ids = new Set<string>();

  /** Returns the ids, for the reads of the change. */
  get ids(): readonly string[] {
    return [...this.#ids];
  }

  /** @throws {RepeatChange} if the redirect was not read: the change then names it among its reads. */
  require({ documents }: AccountDraft, redirectId: string): void {
    if (documents.redirects.isKnown(redirectId)) return;
    this.#ids.add(redirectId);
    throw new RepeatChange('a redirect was not read');
  }
}
