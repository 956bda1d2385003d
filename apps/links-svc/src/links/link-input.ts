import {
  AppError,
  type CreateLinkInput,
  HASHTAGS_MAX,
  isHidden,
  normalizeHashtags,
  type Scope,
  type UpdateLinkInput,
  type Visibility,
} from '@waymark/contract';
import type { LinkFields, LinkHost } from '../database/documents/link.ts';
import { OPTIONAL_FIELD_DEFAULTS, storedOptionalFields } from './link-fields.ts';
import type { Sight } from './link-scope.ts';

/** The fields of a link that is about to be created. There is no slug if one is to be generated. */
export type NewFields = Omit<LinkFields, 'slug'> & { slug?: string };

type Protection = Pick<UpdateLinkInput, 'visibility' | 'password'>;

/** What of an identity decides what it may send. */
export type Rights = Omit<Sight, 'accountId'>;

/**
 * Checks that a key neither hides a link from itself nor sets a password that it may not set (docs/api.md, Hidden links):
 * a Public Links Only key by the visibility, a restricted key by its hashtag.
 * @throws {AppError} `forbidden`.
 */
export function checkScopeOfUpdate(
  { scope, key }: Rights,
  { hashtags, ...protection }: Protection & Pick<UpdateLinkInput, 'hashtags'>,
): void {
  checkProtectionScope(scope, protection);
  if (hashtags !== undefined) checkKeepsHashtag(key, normalizeHashtags(hashtags ?? []));
}

/**
 * Checks that the hashtags that a link will have include the one of a restricted key.
 * @throws {AppError} `forbidden`.
 */
export function checkKeepsHashtag(key: Rights['key'], hashtags: readonly string[]): void {
  const own = key?.hashtag ?? null;
  if (own === null || hashtags.includes(own)) return;
  throw new AppError('forbidden', `This key is for links with the hashtag "${own}"; it may not take it off a link.`);
}

function checkProtectionScope(scope: Scope, { visibility, password }: Protection): void {
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
 * Checks that a password is sent with no visibility other than password-protected.
 * @throws {AppError} `invalid`.
 */
export function checkProtection({ visibility, password }: Protection): void {
  if (password === undefined || visibility === undefined || visibility === 'password-protected') return;
  throw new AppError(
    'invalid',
    `"password" cannot be combined with "visibility" ${visibility}; send only one of them.`,
  );
}

/**
 * Checks visibility and password of a creation.
 * @throws {AppError} `forbidden`, or `invalid` if the link would be password-protected without a password.
 */
export function checkCreation({ scope, key }: Rights, input: CreateLinkInput): void {
  checkProtectionScope(scope, input);
  if (hashtagsToCreate(key, input).length > HASHTAGS_MAX)
    throw new AppError('invalid', `"hashtags" must be at most ${HASHTAGS_MAX} with the one of this key.`);
  checkProtection(input);
  if (input.visibility === 'password-protected' && input.password === undefined) throw passwordNeeded();
}

/** Returns the hashtags of a new link: those of the input, and the one of a restricted key. */
function hashtagsToCreate(key: Rights['key'], { hashtags }: CreateLinkInput): string[] {
  const own = key?.hashtag ?? null;
  return normalizeHashtags([...(hashtags ?? []), ...(own === null ? [] : [own])]);
}

/** Returns the fields of a new link, with defaults. The input has passed {@link checkCreation}. */
export function fieldsToCreate(
  { key }: Pick<Rights, 'key'>,
  input: CreateLinkInput,
  host: LinkHost,
  passwordHash: string | null,
): NewFields {
  const visibility = visibilityOf(input) ?? 'public';
  return {
    ...host,
    ...(input.slug !== undefined && { slug: input.slug }),
    destination_url: input.destination_url,
    ...OPTIONAL_FIELD_DEFAULTS,
    ...storedOptionalFields(input),
    hashtags: hashtagsToCreate(key, input),
    visibility,
    password_hash: passwordHash,
  };
}

/** An update of a link, with what was found for it. */
export interface PreparedUpdate {
  /** Has passed {@link checkProtection}. */
  input: UpdateLinkInput;
  /** The host that the input names, if it names one. */
  host?: LinkHost | undefined;
  /** The hash of the password, if the input has one. */
  passwordHash?: string | undefined;
}

/**
 * Returns the fields that an update of the link changes. A link keeps its password when its visibility changes, so that
 * it can be protected again without sending one.
 * @throws {AppError} `invalid` if the link would be password-protected without a password.
 */
export function fieldsToUpdate(
  link: Pick<LinkFields, 'password_hash'>,
  { input, host, passwordHash }: PreparedUpdate,
): Partial<LinkFields> {
  const visibility = visibilityOf(input);
  if (visibility === 'password-protected' && passwordHash === undefined && link.password_hash === null)
    throw passwordNeeded();
  return {
    ...host,
    ...(input.slug !== undefined && { slug: input.slug }),
    ...(input.destination_url !== undefined && { destination_url: input.destination_url }),
    ...storedOptionalFields(input),
    ...(visibility !== undefined && { visibility }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
  };
}

/** Returns the visibility that the input asks for. A password implies password-protected. */
function visibilityOf({ visibility, password }: Protection): Visibility | undefined {
  return password === undefined ? visibility : 'password-protected';
}

/** Returns the error message for a slug that another link on the host has. */
export function slugTakenMessage(slug: string | undefined): string {
  return `"slug" ${JSON.stringify(slug)} is taken; choose another one.`;
}

/** Returns the error of a slug that is taken. */
export function slugTaken(slug: string | undefined): AppError {
  return new AppError('conflict', slugTakenMessage(slug));
}

function passwordNeeded(): AppError {
  return new AppError(
    'invalid',
    '"password" is required for "visibility" password-protected, because none is set yet.',
  );
}
