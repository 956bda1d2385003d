import { createHash } from 'node:crypto';
import { accentsOf, type Brand, escapeHtml } from '@waymark/service-kit';

/** A style sheet of the dashboard. */
interface Style {
  /** Below `/app/`. */
  path: string;
  content: string;
}

/** The places of the logo: its height, and the most room in a row, in pixels. */
const LOGO_PLACES = [
  { selector: '.shell-brand img', height: 28, maxWidth: 112 },
  { selector: '.signed-out-card > img', height: 44, maxWidth: 220 },
];
const NAME = 'Waymark';

/** Returns the style sheet of a brand, or null if the dashboard looks as it is. */
export function brandStyle({ color, logo }: Brand): Style | null {
  const rules = [...(color === null ? [] : [colorsOf(color)]), ...(logo === null ? [] : sizesOf(logo.ratio))];
  if (rules.length === 0) return null;
  const content = `${rules.join('\n')}\n`;
  return { path: `assets/${createHash('sha256').update(content).digest('hex').slice(0, 8)}.css`, content };
}

/** Writes the name of a brand and its style sheet into the page. */
export function withBrand(page: string, { name, logo }: Brand, style: Style | null): string {
  const product = escapeHtml(name ?? NAME);
  return page
    .replaceAll(`>${NAME}<`, () => `>${product}<`)
    .replace('name="brand-name" content=""', () => `name="brand-name" content="${product}"`)
    .replace('name="brand-logo" content=""', `name="brand-logo" content="${logo === null ? '' : 'yes'}"`)
    .replace('</head>', style === null ? '</head>' : `<link rel="stylesheet" href="/app/${style.path}" />\n  </head>`);
}

/** Its selector is stronger than that of the dashboard, wherever its style sheets are. */
function colorsOf(color: string): string {
  const { light, dark } = accentsOf(color);
  const token = (name: string, shade: keyof typeof light) => `--${name}: light-dark(${light[shade]}, ${dark[shade]});`;
  return `:root:root { ${token('accent', 'accent')} ${token('accent-hover', 'hover')} ${token('on-accent', 'on')} ${token('accent-text', 'text')} ${token('accent-soft', 'soft')} }`;
}

/** Known before the image is loaded, so that nothing moves. */
function sizesOf(ratio: number): string[] {
  return LOGO_PLACES.map(({ selector, height, maxWidth }) => {
    const width = Math.round(Math.min(height * ratio, maxWidth));
    return `${selector} { inline-size: ${width}px; object-fit: contain; }`;
  });
}
