import Type, { type Static } from 'typebox';
import { Link } from './link.ts';

/** The query of `GET /api/v1/auto-meta`. */
export const AutoMetaQuery = Type.Object(
  { destination_url: Link.properties.destination_url },
  { additionalProperties: false },
);
export type AutoMetaQuery = Static<typeof AutoMetaQuery>;

/** The response of `GET /api/v1/auto-meta`: what `auto_meta` would give a new link. */
export const AutoMeta = Type.Object(
  { title: Link.properties.title, description: Link.properties.description },
  { additionalProperties: false, description: 'What a page says about itself. Null where it could not be read.' },
);
export type AutoMeta = Static<typeof AutoMeta>;
