import type { PageContent } from '@waymark/service-kit';
import type { PageTexts } from './languages/page-texts.ts';

/** The page for browsers when a link has expired. It is the same for every link. */
export function expiredPage({ expired: { title, text } }: PageTexts): PageContent {
  return { title, body: `<h1>${title}</h1>\n<p>${text}</p>` };
}
