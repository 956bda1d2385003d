import { escapeHtml, page } from '@waymark/service-kit';

/** What the page of a link shows. */
export interface ShownDestination {
  /** The title of the link, if it has one. */
  title: string | null;
  /** Where the link redirects this visitor to. Null if the page does not say it. */
  location: string | null;
  /** Where the button leads: the short URL, whose redirect is the click. */
  href: string;
}

/** Returns the page that shows where a link leads. It is not a click. */
export function linkPage({ title, location, href }: ShownDestination): string {
  const name = title ?? 'Short link';
  const leads =
    location === null
      ? '<p>The link shows its destination once you follow it.</p>'
      : `<p>The link leads to:</p>\n<p class="url" dir="ltr">${escapeHtml(location)}</p>`;
  return page(
    escapeHtml(name),
    // The click that follows comes from no page.
    `<h1 dir="auto">${escapeHtml(name)}</h1>
${leads}
<a class="button" href="${escapeHtml(href)}" rel="noreferrer">Continue</a>`,
  );
}
