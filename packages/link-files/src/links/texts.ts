import { DESCRIPTION_MAX_LENGTH, TITLE_MAX_LENGTH } from '@waymark/contract';
import { trimmed } from '../text/trim.ts';
import { withScheme } from '../text/with-scheme.ts';

/** Control characters that are neither white space nor line breaks, and halves of characters. */
const NO_TEXT = /[^\P{Cc}\s\x85]|\p{Cs}/gu;
/** Control characters that separate words. */
const SPACE = /[\t\v\f\x85]/g;

/** What the texts of other services become, by field, so that no link is refused for a trifle. */
export const CLEANED: Readonly<Record<string, (text: string) => string>> = {
  title,
  description,
  note: spaced,
  destination_url: url,
  expired_url: url,
  social_title: title,
  social_description: description,
  social_image_url: url,
};

function url(text: string): string {
  return withScheme(trimmed(text));
}

function title(text: string): string {
  return cut(spaced(text).replace(/\s+/gu, ' ').trim(), TITLE_MAX_LENGTH);
}

function description(text: string): string {
  return cut(spaced(text).trim(), DESCRIPTION_MAX_LENGTH);
}

function spaced(text: string): string {
  return text.replace(NO_TEXT, '').replace(SPACE, ' ');
}

/** Returns the first `maxLength` code points. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return Array.from(text).slice(0, maxLength).join('').trimEnd();
}
