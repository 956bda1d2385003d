import { page } from './page.ts';

/** What a browser shows for a slug that leads nowhere, for whatever reason. */
export const NOT_FOUND_PAGE = page(
  'Link not found',
  `<h1>Link not found</h1>
<p>This short link does not lead anywhere. It may have been mistyped or removed.</p>`,
);
