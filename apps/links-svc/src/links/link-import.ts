import { AppError, type CreateLinkInput } from '@waymark/contract';

/** A link that existed elsewhere. */
export interface ImportedLink {
  input: CreateLinkInput;
  /** Null if it is not known. */
  createdAt: Date | null;
}

/** What an import did with a link: it was created, or the account already had it. */
export type ImportOutcome = 'created' | 'existing';

/** An imported link whose slug is known. */
export interface SluggedLink extends ImportedLink {
  input: CreateLinkInput & { slug: string };
}

/**
 * Checks what an import needs beyond a creation. Without a slug, a second import would create the link again.
 * @throws {AppError} `invalid`.
 */
export function checkImportedLink({ input, createdAt }: ImportedLink): SluggedLink {
  const { slug } = input;
  if (slug === undefined)
    throw new AppError('invalid', '"slug" is required; without it the link cannot be recognized.');
  const time = createdAt?.getTime();
  if (time !== undefined && !(time >= 0 && time <= Date.now()))
    throw new AppError('invalid', '"created_at" must be between 1970 and the present.');
  return { input: { ...input, slug }, createdAt };
}

/** Returns true if a link of the account with the same slug is the imported one, maybe changed since. */
export function isSameLink(
  existing: { destination_url: string; created_at: Date; imported_url?: string },
  { input, createdAt }: SluggedLink,
): boolean {
  return (
    [existing.destination_url, existing.imported_url].includes(input.destination_url) ||
    existing.created_at.getTime() === createdAt?.getTime()
  );
}
