import {
  AppError,
  type CreateLinkInput,
  isHidden,
  normalizeHashtags,
  type Scope,
  type UpdateLinkInput,
  type Visibility,
} from '@waymark/contract';
import type { LinkDocument, LinkFields } from './link.ts';

type Protection = Pick<UpdateLinkInput, 'visibility' | 'password'>;

/**
 * A Public Links Only key cannot make a link hidden from itself, nor set passwords (docs/api.md, Hidden links).
 * @throws {AppError} `forbidden`.
 */
export function checkScopeOfInput(scope: Scope, { visibility, password }: Protection): void {
  if (scope === 'full_access') return;
  if (visibility !== undefined && isHidden(visibility))
    throw new AppError(
      'forbidden',
      `"visibility" ${visibility} needs a Full Access key; this key is Public Links Only.`,
    );
  if (password !== undefined)
    throw new AppError('forbidden', '"password" needs a Full Access key; this key is Public Links Only.');
}

/**
 * A password goes with no visibility but password-protected.
 * @throws {AppError} `invalid`.
 */
export function checkProtection({ visibility, password }: Protection): void {
  if (password === undefined || visibility === undefined || visibility === 'password-protected') return;
  throw new AppError('invalid', `"password" does not go with "visibility" ${visibility}; leave one of them out.`);
}

/**
 * The fields of a link to be, with defaults; `slug` is missing where one is to be generated. The input has passed
 * {@link checkProtection}.
 * @throws {AppError} `invalid` where the link would be protected by nothing.
 */
export function fieldsToCreate(
  input: CreateLinkInput,
  passwordHash: string | null,
): Omit<LinkFields, 'slug'> & { slug?: string } {
  const visibility = visibilityOf(input) ?? 'public';
  if (visibility === 'password-protected' && passwordHash === null) throw passwordNeeded();
  return {
    ...(input.slug !== undefined && { slug: input.slug }),
    destination_url: input.destination_url,
    title: input.title || null,
    description: input.description || null,
    note: input.note || null,
    hashtags: normalizeHashtags(input.hashtags ?? []),
    visibility,
    password_hash: passwordHash,
  };
}

/**
 * The fields that an update of the link changes. A password stays set when the link is made anything else, so that it
 * can be protected again without one. The input has passed {@link checkProtection}.
 * @throws {AppError} `invalid` where the link would be protected by nothing.
 */
export function fieldsToUpdate(
  link: Pick<LinkDocument, 'password_hash'>,
  input: UpdateLinkInput,
  passwordHash: string | undefined,
): Partial<LinkFields> {
  const { password: _, hashtags, visibility: __, ...texts } = input;
  const visibility = visibilityOf(input);
  if (visibility === 'password-protected' && passwordHash === undefined && link.password_hash === null)
    throw passwordNeeded();
  return {
    ...withoutUndefined(emptyAsNull(texts)),
    ...(hashtags !== undefined && { hashtags: normalizeHashtags(hashtags) }),
    ...(visibility !== undefined && { visibility }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
  };
}

/** The visibility that is asked for: a password implies protection. */
function visibilityOf({ visibility, password }: Protection): Visibility | undefined {
  return password === undefined ? visibility : 'password-protected';
}

function passwordNeeded(): AppError {
  return new AppError('invalid', '"password" is required for "visibility" password-protected: none is set yet.');
}

/** An empty text is stored as null: over MCP it is the only way to empty one. */
function emptyAsNull<Texts extends object>(texts: Texts): Texts {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text === '' ? null : text])) as Texts;
}

function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
