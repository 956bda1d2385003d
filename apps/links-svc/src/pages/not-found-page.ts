import type { PageContent } from '@waymark/service-kit';
import type { PageTexts } from './languages/page-texts.ts';

/** The page for browsers when a slug has no link that the visitor may follow, for whatever reason. */
export function notFoundPage({ notFound: { title, text } }: PageTexts): PageContent {
  return { title, body: `<h1>${title}</h1>\n<p>${text}</p>` };
}
