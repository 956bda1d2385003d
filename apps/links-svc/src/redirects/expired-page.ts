import { page } from '@waymark/service-kit';

/** The page for browsers when a link has expired. It is the same for every link. */
export const EXPIRED_PAGE = page(
  'Link expired',
  `<h1>Link expired</h1>
<p>The owner of this short link set a time after which it no longer works.</p>`,
);
