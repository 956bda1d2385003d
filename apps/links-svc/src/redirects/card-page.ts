import { escapeHtml, PLAIN_PAGES } from '@waymark/service-kit';
import { readUserAgent } from '@waymark/user-agents';
import type { RedirectLink } from './link-cache.ts';
import type { PublicTexts } from './redirects.store.ts';

/** What the card of a link is made from. */
export interface Card {
  texts: PublicTexts;
  /** Where the link redirects this visitor to, or the short URL if nobody may know before. */
  href: string;
}

/** Returns true if link previews get a card of the link. Only fetchers that are known for it do. */
export function wantsCard({ hasCard }: Pick<RedirectLink, 'hasCard'>, userAgent: string | undefined): boolean {
  return hasCard && readUserAgent(userAgent ?? '').notCounted === 'preview';
}

/** The headers of a card. Whether it may be indexed is up to the link. */
const { 'x-robots-tag': _, ...headers } = PLAIN_PAGES.headers;
export const CARD_HEADERS = headers;

/**
 * Returns the page that link previews read in place of the redirect: Open Graph (https://ogp.me) and the Twitter card. A
 * person who gets it can follow its link. It has no language, because nobody knows that of the texts.
 */
export function cardPage({ texts, href }: Card): string {
  const { title, social_title, social_description, social_image_url } = texts;
  const name = social_title ?? title;
  const image = social_image_url === null ? null : new URL(social_image_url).href;
  const meta: [attribute: 'property' | 'name', name: string, value: string | null | undefined][] = [
    ['property', 'og:type', 'website'],
    ['property', 'og:title', name],
    ['property', 'og:description', social_description],
    ['property', 'og:image', image],
    ['name', 'twitter:card', image ? 'summary_large_image' : 'summary'],
    ['name', 'twitter:title', name],
    ['name', 'twitter:description', social_description],
    ['name', 'twitter:image', image],
    ['name', 'description', social_description],
  ];
  const tags = meta.flatMap(([attribute, key, value]) =>
    value ? [`<meta ${attribute}="${key}" content="${escapeHtml(value)}">`] : [],
  );
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<title>${escapeHtml(name ?? '')}</title>
${tags.join('\n')}
</head>
<body>
<p><a href="${escapeHtml(href)}">${escapeHtml(name ?? href)}</a></p>
</body>
</html>
`;
}
