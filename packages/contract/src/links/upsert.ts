import Type from 'typebox';
import { validator, validatorIgnoringNull } from '../validate.ts';
import { CreateLinkInput, UpdateLinkInput } from './link.ts';

const { slug, ...otherFields } = Type.Partial(CreateLinkInput).properties;

/** The link of an upsert: the slug that it is found by, and the fields of a creation. */
export const UpsertLinkInput = Type.Object(
  {
    slug: Type.Unsafe<string>({
      ...slug,
      description:
        'The slug that the link has, in any case, or gets: letters, digits, `_` and `-`, not beginning with `_` or `-`; reserved words are refused.',
    }),
    ...otherFields,
  },
  {
    additionalProperties: false,
    description:
      'If a link has the slug on the host, the fields of an update. If none has it, those of a creation: `destination_url` is required, null is the same as not sent, and `auto_meta` applies.',
  },
);
/** Null is allowed wherever an update or a creation allows it: {@link updateOf} and {@link creationOf} decide. */
export type UpsertLinkInput = { slug: string } & {
  [Name in Exclude<keyof CreateLinkInput, 'slug'>]?: CreateLinkInput[Name] | null;
};

const checkFields = validatorIgnoringNull(UpsertLinkInput);
const checkCreation = validatorIgnoringNull(CreateLinkInput);
const checkUpdate = validator(UpdateLinkInput);

/**
 * Returns the input if all that does not depend on whether the link exists is valid.
 * @throws {AppError} `invalid`.
 */
export function checkUpsert(input: unknown): UpsertLinkInput {
  checkFields(input);
  return input as UpsertLinkInput;
}

/**
 * Returns the input of the creation for a slug that no link has. Null is not sent.
 * @throws {AppError} `invalid`.
 */
export function creationOf(input: UpsertLinkInput): CreateLinkInput {
  return checkCreation(input);
}

/**
 * Returns the input of the update of the link that has the slug. `auto_meta` is for creations.
 * @throws {AppError} `invalid`.
 */
export function updateOf({ auto_meta: _, ...fields }: UpsertLinkInput): UpdateLinkInput {
  return checkUpdate(fields);
}
