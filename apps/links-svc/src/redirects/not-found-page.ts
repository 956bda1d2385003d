import { page } from '@waymark/service-kit';

/** The page for browsers when a slug has no link that the visitor may follow, for whatever reason. */
export const NOT_FOUND_PAGE = page(
  'Link not found',
  `<h1>Link not found</h1>
<p>This short link does not exist. It may have been mistyped or removed.</p>`,
);
