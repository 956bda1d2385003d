import { escapeHtml, type PageContent } from '@waymark/service-kit';
import type { PageTexts } from './languages/page-texts.ts';

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
export function linkPage({ link }: PageTexts, { title, location, href }: ShownDestination): PageContent {
  const name = escapeHtml(title ?? link.title);
  const leads =
    location === null
      ? `<p>${link.unknown}</p>`
      : `<p>${link.leadsTo}</p>\n<p class="url" dir="ltr">${escapeHtml(location)}</p>`;
  return {
    title: name,
    // The click that follows comes from no page.
    body: `<h1 dir="auto">${name}</h1>
${leads}
<a class="button" href="${escapeHtml(href)}" rel="noreferrer">${link.button}</a>`,
  };
}
