import Type from 'typebox';
import type { Format } from '../config/formats.ts';
import { isHexColor } from './accents.ts';
import { type Logo, readLogo } from './logo.ts';

/** The operator's look on the pages for visitors and in the dashboard. */
export interface Brand {
  name: string | null;
  logo: Logo | null;
  /** `#rrggbb`. */
  color: string | null;
  text: string | null;
  link: { url: string; text: string } | null;
}

/** The values from which a brand is made. */
export interface BrandValues {
  name?: string;
  /** The path of the file. */
  logo?: string;
  color?: string;
  text?: string;
  link?: string;
  link_text?: string;
}

export const NO_BRAND: Brand = { name: null, logo: null, color: null, text: null, link: null };

/** What each value of a brand must be. */
export const BRAND_FORMATS = {
  name: textOfAtMost(60),
  logo: {
    words:
      'the path of an SVG file with width and height or viewBox, or of a PNG file of at most 1024 pixels in width and height, each of at most 64 KiB',
    test: (path) => readLogo(path) !== null,
  },
  color: { words: 'a color such as #1f5fbf', test: isHexColor },
  text: textOfAtMost(300),
  link: { words: 'an https URL of at most 2048 characters', test: isHttpsUrl },
  link_text: textOfAtMost(60),
} satisfies Record<keyof BrandValues, Format>;

const setting = (accepts: Format, description: string) => Type.Optional(Type.String({ accepts, description }));

/** The variables of the brand. A brand of a short host has the same values ({@link BrandValues}). */
export const brandConfig = {
  BRAND_NAME: setting(
    BRAND_FORMATS.name,
    'The operator’s name, on the pages for visitors and in the dashboard ([brand.md](docs/brand.md)).',
  ),
  BRAND_LOGO: setting(
    BRAND_FORMATS.logo,
    'An SVG or PNG file with the operator’s logo, for the same pages, as their icon, and for QR codes.',
  ),
  BRAND_COLOR: setting(
    BRAND_FORMATS.color,
    'The color of buttons and links there. Each theme gets a shade of it that can be read.',
  ),
  BRAND_TEXT: setting(BRAND_FORMATS.text, 'A text below the pages for visitors.'),
  BRAND_LINK: setting(BRAND_FORMATS.link, 'A link below the pages for visitors.'),
  BRAND_LINK_TEXT: setting(BRAND_FORMATS.link_text, 'The text of BRAND_LINK. Default: its host.'),
};

/** A text alone is no link. */
export const brandRules = { BRAND_LINK_TEXT: ['BRAND_LINK'] };

/** The configuration of a process that knows the brand. */
export interface BrandConfig {
  BRAND_NAME?: string;
  BRAND_LOGO?: string;
  BRAND_COLOR?: string;
  BRAND_TEXT?: string;
  BRAND_LINK?: string;
  BRAND_LINK_TEXT?: string;
}

/** Returns the operator's brand. */
export function brandOf(config: BrandConfig): Brand {
  return createBrand({
    name: config.BRAND_NAME,
    logo: config.BRAND_LOGO,
    color: config.BRAND_COLOR,
    text: config.BRAND_TEXT,
    link: config.BRAND_LINK,
    link_text: config.BRAND_LINK_TEXT,
  });
}

/** Returns the brand of these values, which have the formats of {@link BRAND_FORMATS}. */
export function createBrand({ name, logo, color, text, link, link_text }: Undefinable<BrandValues>): Brand {
  return {
    name: name ?? null,
    logo: logo === undefined ? null : getLogo(logo),
    color: color?.toLowerCase() ?? null,
    text: text ?? null,
    link: link === undefined ? null : { url: new URL(link).href, text: link_text ?? new URL(link).host },
  };
}

function getLogo(path: string): Logo {
  const logo = readLogo(path);
  if (logo === null) throw new Error(`The logo ${path} cannot be used.`);
  return logo;
}

type Undefinable<Values> = { [Name in keyof Values]: Values[Name] | undefined };

function textOfAtMost(characters: number): Format {
  return {
    words: `text of at most ${characters} characters without control characters`,
    test: (text) => [...text].length <= characters && !/\p{Cc}/u.test(text),
  };
}

function isHttpsUrl(text: string): boolean {
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text);
  return text.length <= 2_048 && url?.protocol === 'https:' && url.username === '' && url.password === '';
}
