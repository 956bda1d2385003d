import type { AccountIdentity } from '@waymark/auth';
import { AppError, type CreateLinkInput } from '@waymark/contract';
import { allOf } from '../changes/all-of.ts';
import type { Change } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import { createdAtOfLinkId, newLinkId } from '../database/ids.ts';
import { errorAsValue } from '../links/error-as-value.ts';
import type { LinkDocument } from '../links/link.ts';
import type { LinkCreations } from '../links/link-creations.service.ts';
import { slugTaken } from '../links/link-input.ts';
import { redirectId } from '../slugs/redirect-id.ts';

/** A link that existed elsewhere. */
export interface ImportedLink {
  input: CreateLinkInput;
  /** Null if it is not known. */
  createdAt: Date | null;
}

/** What an import did with a link: it was created, or the account already had it. */
export type ImportOutcome = 'created' | 'existing';

export interface LinkImportsDeps {
  creations: Pick<LinkCreations, 'check' | 'creating'>;
  changes: Pick<ChangeQueue, 'run'>;
  /** The clock, in milliseconds. */
  now(): number;
}

/** The use case of an import. */
export class LinkImports {
  readonly #deps: LinkImportsDeps;

  constructor(deps: LinkImportsDeps) {
    this.#deps = deps;
  }

  /**
   * Creates links that existed elsewhere, with their slugs and creation times, in one transaction. Returns for each what
   * happened, or the error that its creation would have got. A link that the account already has stays as it is, so that
   * an import can be repeated. This is the only way to create a link with an earlier creation time.
   * @throws {AppError} `unavailable` in an outage.
   */
  async import(
    identity: AccountIdentity,
    imported: readonly (ImportedLink | AppError)[],
  ): Promise<(ImportOutcome | AppError)[]> {
    // Without creation times, links keep the order of the import.
    const startMs = this.#deps.now() - imported.length;
    const prepared: (Change<ImportOutcome> | AppError)[] = [];
    for (const [position, one] of imported.entries())
      prepared.push(
        one instanceof AppError ? one : await errorAsValue(() => this.#importing(identity, one, startMs + position)),
      );
    const failure = prepared.find((one) => one instanceof AppError && one.httpStatus >= 500);
    if (failure !== undefined) throw failure;
    return this.#deps.changes.run(allOf(identity.accountId, prepared, (outcomes) => outcomes));
  }

  /** Prepares the import of a link. Without a creation time it is `defaultTimeMs`. */
  async #importing(
    identity: AccountIdentity,
    { input, createdAt }: ImportedLink,
    defaultTimeMs: number,
  ): Promise<Change<ImportOutcome>> {
    const { slug } = input;
    if (slug === undefined)
      throw new AppError('invalid', '"slug" is required; without it the link cannot be recognized.');
    const time = createdAt?.getTime();
    if (time !== undefined && !(time >= 0 && time <= this.#deps.now()))
      throw new AppError('invalid', '"created_at" must be between 1970 and the present.');
    const creation = await errorAsValue(async () => {
      this.#deps.creations.check(identity.scope, input);
      const id = newLinkId(identity.accountId, time ?? defaultTimeMs);
      const importedUrl = createdAt === null && { importedUrl: input.destination_url };
      return this.#deps.creations.creating({ id, identity, input, ...importedUrl });
    });
    // Not a fault of the link: the caller repeats the import.
    if (creation instanceof AppError && creation.httpStatus >= 500) throw creation;
    const redirect = redirectId(null, slug);
    return {
      accountId: identity.accountId,
      size: 1,
      bytes: creation instanceof AppError ? 0 : creation.bytes,
      reads: () => ({ redirects: [redirect], linksOfRedirects: true }),
      decide: (draft) => {
        const { redirects, links } = draft.documents;
        const found = redirects.get(redirect);
        if (found === null) {
          if (creation instanceof AppError) throw creation;
          creation.decide(draft);
          return 'created';
        }
        const existing = found.account_id === identity.accountId ? links.get(found.link_id) : null;
        if (existing === null || !isSameLink(existing, { input, createdAt })) throw slugTaken(slug);
        return 'existing';
      },
    };
  }
}

/** Returns true if a link of the account with the same slug is the imported one, maybe changed since. */
function isSameLink(
  { _id, destination_url, imported_url }: Pick<LinkDocument, '_id' | 'destination_url' | 'imported_url'>,
  { input, createdAt }: ImportedLink,
): boolean {
  return (
    [destination_url, imported_url].includes(input.destination_url) || createdAtOfLinkId(_id) === createdAt?.getTime()
  );
}
