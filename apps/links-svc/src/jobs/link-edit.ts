import {
  AppError,
  foldHashtag,
  HASHTAGS_MAX,
  type JobChange,
  normalizeHashtags,
  UpdateLinkInput,
  validator,
} from '@waymark/contract';
import type { LinkDocument, LinkFields } from '../database/documents/link.ts';
import { OPTIONAL_FIELD_DEFAULTS } from '../links/link-fields.ts';
import { type ChosenHost, linkHostOf } from '../links/link-host.ts';
import { fieldsToUpdate } from '../links/link-input.ts';
import { differing } from '../links/link-values.ts';
import { checkDestinations } from '../slugs/destinations.ts';
import type { ShortUrls } from '../slugs/short-urls.ts';
import { withHost } from './with-host.ts';

const checkFields = validator(UpdateLinkInput);

/**
 * Returns the fields of a link that a change of a job makes different: first the fields that it sets, then hashtags are
 * replaced, removed and added, then the host of the destination is replaced. `chosen` is the host of the change.
 * @throws {AppError} `invalid` if the link cannot be so.
 */
export function fieldsToEdit(
  link: LinkDocument,
  change: JobChange,
  chosen: ChosenHost | undefined,
  shortUrls: Pick<ShortUrls, 'isShortUrl'>,
): Partial<LinkFields> {
  const { replace_host } = change;
  const fields = fieldsToUpdate(link, { input: change, host: chosen && linkHostOf(chosen, link) });
  const { hashtags, destination_url } = { ...OPTIONAL_FIELD_DEFAULTS, ...link, ...fields };
  return differing(link, {
    ...fields,
    hashtags: editedHashtags(hashtags, change),
    destination_url: replace_host ? withNewHost(destination_url, replace_host, shortUrls) : destination_url,
  });
}

function editedHashtags(
  hashtags: readonly string[],
  { replace_hashtag, remove_hashtags = [], add_hashtags = [] }: JobChange,
): string[] {
  const from = replace_hashtag && foldHashtag(replace_hashtag.from);
  const removed = new Set(normalizeHashtags(remove_hashtags));
  const replaced = hashtags.map((hashtag) => (hashtag === from ? replace_hashtag!.to : hashtag));
  const kept = normalizeHashtags(replaced).filter((hashtag) => !removed.has(hashtag));
  const edited = normalizeHashtags([...kept, ...add_hashtags]);
  if (edited.length <= HASHTAGS_MAX) return edited;
  throw new AppError(
    'invalid',
    `"hashtags" must have at most ${HASHTAGS_MAX} items; this link would have ${edited.length}.`,
  );
}

/** @throws {AppError} `invalid` if the result is no valid destination. */
function withNewHost(
  url: string,
  { from, to }: NonNullable<JobChange['replace_host']>,
  shortUrls: Pick<ShortUrls, 'isShortUrl'>,
): string {
  const destination_url = withHost(url, from, to);
  if (destination_url !== url) checkDestinations(checkFields({ destination_url }), shortUrls);
  return destination_url;
}
