import type { AccountIdentity } from '@waymark/auth';
import { AppError, type CreateLinkInput, slugKey } from '@waymark/contract';
import { newLinkId } from '../database/ids.ts';
import { errorAsValue } from '../links/error-as-value.ts';
import type { LinkCreations } from '../links/link-creations.service.ts';
import { checkCreation, slugTaken } from '../links/link-input.ts';
import { LinkScope } from '../links/link-scope.ts';
import type { LinksStore } from '../links/links.store.ts';

/** A link that existed elsewhere. */
export interface ImportedLink {
  input: CreateLinkInput;
  /** Null if it is not known. */
  createdAt: Date | null;
}

/** What an import did with a link: it was created, or the account already had it. */
export type ImportOutcome = 'created' | 'existing';

/** An imported link whose slug is known. */
interface SluggedLink extends ImportedLink {
  input: CreateLinkInput & { slug: string };
}

const IMPORT_TIME_MS = 10_000;

/** The use case of an import. */
export class LinkImports {
  readonly #links: Pick<LinksStore, 'findBySlugKeys'>;
  readonly #creations: Pick<LinkCreations, 'createMany'>;

  constructor(links: Pick<LinksStore, 'findBySlugKeys'>, creations: Pick<LinkCreations, 'createMany'>) {
    this.#links = links;
    this.#creations = creations;
  }

  /**
   * Creates links that existed elsewhere, with their slugs and creation times. Returns for each what happened, or the
   * error that its creation would have got. A link that the account already has stays as it is, so that an import can
   * be repeated. This is the only way to create a link with an earlier creation time.
   * @throws {AppError} `unavailable` in an outage: some of the links may have been created.
   */
  async import(
    identity: AccountIdentity,
    imported: readonly (ImportedLink | AppError)[],
  ): Promise<(ImportOutcome | AppError)[]> {
    const scope = new LinkScope(identity);
    const checked = await Promise.all(
      imported.map((one) => (one instanceof AppError ? one : errorAsValue(async () => checkImportedLink(one)))),
    );
    const valid = checked.filter((one): one is SluggedLink => !(one instanceof AppError));
    const existing = await this.#links.findBySlugKeys(
      scope,
      valid.map(({ input }) => slugKey(input.slug)),
    );
    const bySlug = new Map(existing.map((link) => [link.slug_key, link]));
    const outcomes = new Map<SluggedLink, ImportOutcome | AppError>();
    const missing: SluggedLink[] = [];
    for (const one of valid) {
      const link = bySlug.get(slugKey(one.input.slug));
      const refusal = await errorAsValue(async () => checkCreation(identity.scope, one.input));
      if (link !== undefined) outcomes.set(one, isSameLink(link, one) ? 'existing' : slugTaken(one.input.slug));
      else if (refusal !== undefined) outcomes.set(one, refusal);
      else missing.push(one);
    }
    // Without creation times, links keep the order of the import.
    const startMs = Date.now() - missing.length;
    const wanted = missing.map(({ input, createdAt }, position) => ({
      id: newLinkId(identity.accountId, createdAt?.getTime() ?? startMs + position),
      input,
      preview: Promise.resolve({}),
      ...(createdAt === null && { importedUrl: input.destination_url }),
    }));
    const created = await this.#creations.createMany(identity, wanted, performance.now() + IMPORT_TIME_MS);
    for (const [position, result] of created.entries()) {
      // Not a fault of the link: the caller repeats the import.
      if (result instanceof AppError && result.httpStatus >= 500) throw result;
      outcomes.set(missing[position]!, result instanceof AppError ? result : 'created');
    }
    return checked.map((one) => (one instanceof AppError ? one : outcomes.get(one)!));
  }
}

/**
 * Checks what an import needs beyond a creation. Without a slug, a second import would create the link again.
 * @throws {AppError} `invalid`.
 */
function checkImportedLink({ input, createdAt }: ImportedLink): SluggedLink {
  const { slug } = input;
  if (slug === undefined)
    throw new AppError('invalid', '"slug" is required; without it the link cannot be recognized.');
  const time = createdAt?.getTime();
  if (time !== undefined && !(time >= 0 && time <= Date.now()))
    throw new AppError('invalid', '"created_at" must be between 1970 and the present.');
  return { input: { ...input, slug }, createdAt };
}

/** Returns true if a link of the account with the same slug is the imported one, maybe changed since. */
function isSameLink(
  existing: { destination_url: string; created_at: Date; imported_url?: string },
  { input, createdAt }: SluggedLink,
): boolean {
  return (
    [existing.destination_url, existing.imported_url].includes(input.destination_url) ||
    existing.created_at.getTime() === createdAt?.getTime()
  );
}
