import type { ReportedClick } from '@waymark/proto';
import { cutText } from './cut-text.ts';

export const UTM_MAX_LENGTH = 200;

/** The `utm_…` parameters of a URL, decoded. One that is missing or blank is an empty text. */
export type Utm = Pick<ReportedClick, 'utmSource' | 'utmCampaign' | 'utmMedium' | 'utmContent' | 'utmTerm'>;

export const NO_UTM: Utm = { utmSource: '', utmCampaign: '', utmMedium: '', utmContent: '', utmTerm: '' };

/** Returns the pattern of a text each of whose characters may be percent-encoded. */
function encodable(text: string): string {
  return Array.from(text, (character) => {
    const [high, low] = character.charCodeAt(0).toString(16) as unknown as [string, string];
    return `(?:${character}|%${high}[${low}${low.toUpperCase()}])`;
  }).join('');
}

/** The `utm_…` parameters of a raw query string. A visitor's query may be long, and parsing all of it is expensive. */
const PARAMETERS = new RegExp(
  `(?:^|&)${encodable('utm_')}(?:${['source', 'campaign', 'medium', 'content', 'term'].map(encodable).join('|')})(?:=[^&]*|(?=&|$))`,
  'g',
);
/** A character that is left after analytics-svc has cleaned the text. */
const VISIBLE = /[^\s\p{Cc}]/u;

/** Returns the first of each `utm_…` of a raw query string, cut to {@link UTM_MAX_LENGTH} UTF-16 units. */
export function utmOf(query: string): Utm {
  if (query === '') return NO_UTM;
  const found = query.match(PARAMETERS);
  if (found === null) return NO_UTM;
  const parameters = new URLSearchParams(found.join('&'));
  const textOf = (name: string) => {
    const text = cutText(parameters.get(name) ?? '', UTM_MAX_LENGTH);
    return VISIBLE.test(text) ? text : '';
  };
  return {
    utmSource: textOf('utm_source'),
    utmCampaign: textOf('utm_campaign'),
    utmMedium: textOf('utm_medium'),
    utmContent: textOf('utm_content'),
    utmTerm: textOf('utm_term'),
  };
}

/** Returns the `utm_…` of a URL that is a valid `Location` header, as {@link utmOf} does. */
export function utmOfUrl(url: string): Utm {
  const hash = url.indexOf('#');
  const base = hash === -1 ? url : url.slice(0, hash);
  const mark = base.indexOf('?');
  return mark === -1 ? NO_UTM : utmOf(base.slice(mark + 1));
}

/** Returns the `utm_…` of the first, each one that it lacks from the second. */
export function withUtmOf(first: Utm, second: Utm): Utm {
  if (first === NO_UTM) return second;
  return {
    utmSource: first.utmSource || second.utmSource,
    utmCampaign: first.utmCampaign || second.utmCampaign,
    utmMedium: first.utmMedium || second.utmMedium,
    utmContent: first.utmContent || second.utmContent,
    utmTerm: first.utmTerm || second.utmTerm,
  };
}
