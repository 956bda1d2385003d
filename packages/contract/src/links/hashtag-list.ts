import Type, { type Static } from 'typebox';
import { Notice } from '../notice.ts';

/** The maximum number of hashtags in a list. */
export const LISTED_HASHTAGS_MAX = 1_000;

const HashtagCount = Type.Object(
  {
    hashtag: Type.String({ description: 'The hashtag, without #.', examples: ['sale'] }),
    links: Type.Integer({ minimum: 1, description: 'Links that have it.', examples: [12] }),
    clicks: Type.Integer({ minimum: 0, description: 'All clicks on them so far.', examples: [340] }),
  },
  { additionalProperties: false, description: 'A hashtag, and the links that have it.' },
);
export type HashtagCount = Static<typeof HashtagCount>;

/** The response of `GET /api/v1/hashtags`, and the result of the tool `list_hashtags`. */
export const HashtagList = Type.Object(
  {
    hashtags: Type.Array(HashtagCount, {
      maxItems: LISTED_HASHTAGS_MAX,
      description: 'The hashtags, most links first, then by name.',
      examples: [[{ hashtag: 'sale', links: 12, clicks: 340 }]],
    }),
    notice: Notice,
  },
  { additionalProperties: false, description: 'Hashtags of links that are not archived.' },
);
export type HashtagList = Static<typeof HashtagList>;
