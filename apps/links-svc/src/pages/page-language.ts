import { de } from './languages/de.ts';
import { en } from './languages/en.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import { ja } from './languages/ja.ts';
import type { PageTexts } from './languages/page-texts.ts';
import { pt } from './languages/pt.ts';
import { zh } from './languages/zh.ts';

/** The texts of the pages by language code. A region or script makes no difference. */
export const PAGE_LANGUAGES: Readonly<Record<string, PageTexts>> = { en, de, fr, es, pt, ja, zh };

/** Browsers send fewer. What follows is ignored, so that no header takes longer to read. */
const HEADER_MAX_LENGTH = 512;
/** A language range and its weight (RFC 9110, 12.5.4), such as `pt-BR;q=0.8`. */
const RANGE = /^([a-z]{2,3}|\*)(?:-[a-z0-9]{1,8})*(?:\s*;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

/** Returns the texts in the preferred language of an `Accept-Language` header. English is the default. */
export function pageTextsFor(acceptLanguage: string | undefined): PageTexts {
  let best = en;
  let bestWeight = 0;
  for (const part of (acceptLanguage ?? '').slice(0, HEADER_MAX_LENGTH).split(',')) {
    const [, code = '', q = '1'] = RANGE.exec(part.trim()) ?? [];
    const texts = code === '*' ? en : languageOf(code);
    const weight = Number(q);
    if (texts !== undefined && weight > bestWeight) [best, bestWeight] = [texts, weight];
  }
  return best;
}

function languageOf(code: string): PageTexts | undefined {
  const name = code.toLowerCase();
  return Object.hasOwn(PAGE_LANGUAGES, name) ? PAGE_LANGUAGES[name] : undefined;
}
