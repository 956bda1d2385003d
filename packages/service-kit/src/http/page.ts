import { createHash } from 'node:crypto';
import { type Accent, accentsOf } from '../brand/accents.ts';
import { type Brand, NO_BRAND } from '../brand/brand.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --ground: #f4f5f7; --card: #fff; --line: #8c959f; --act: #1f5fbf; --on-act: #fff; --wrong: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a8b0b9; --ground: #15181c; --card: #1f2429; --line: #7d8590; --act: #8ab4f8; --on-act: #10233f; --wrong: #ffb4ab; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { width: 100%; max-width: 26rem; padding: 1.75rem 1.5rem; background: var(--card); border-radius: .75rem; box-shadow: 0 1px 3px rgb(0 0 0 / .2); }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25; }
p { margin: 0; color: var(--soft); }
p + p { margin-top: .75rem; }
a { color: var(--act); }
form { margin-top: 1.25rem; }
label { display: block; margin-bottom: .375rem; font-weight: 600; }
input, button { width: 100%; min-height: 3rem; font: inherit; border-radius: .5rem; }
input { padding: 0 .75rem; color: inherit; background: transparent; border: 1px solid var(--line); }
input[aria-invalid] { border-color: var(--wrong); }
.button { display: grid; place-items: center; width: 100%; min-height: 3rem; border-radius: .5rem; text-decoration: none; }
.url { overflow-wrap: anywhere; color: var(--ink); }
button, .button { margin-top: 1rem; border: 0; background: var(--act); color: var(--on-act); font-weight: 600; cursor: pointer; }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 3px solid var(--act); outline-offset: 2px; }
#error { margin-top: .5rem; color: var(--wrong); }
.brand { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem; margin-bottom: 1.5rem; font-size: 1.125rem; font-weight: 600; overflow-wrap: anywhere; }
.brand img { height: 2.5rem; max-width: 100%; object-fit: contain; }
.about { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .875rem; overflow-wrap: anywhere; }
`;

/** Where the logo of the host is, or Waymark's mark. Browsers look for the icon of a page there. */
export const LOGO_PATH = '/favicon.ico';

/** What is on a page for visitors. */
export interface PageContent {
  /** HTML. */
  title: string;
  /** HTML. */
  body: string;
  /** The language of both (BCP 47). Default: English. */
  language?: string;
}

/** Makes complete HTML pages for visitors, with a brand, without scripts and resources of other hosts. */
export interface PageTemplate {
  /**
   * The headers of its pages. They can use their own style, the logo and nothing else. There is no `form-action`,
   * because browsers also apply it to the redirect that follows the form, and a destination can be anywhere.
   */
  headers: Record<string, string>;
  render(content: PageContent): string;
}

/** Returns the template of a brand. */
export function pageTemplate(brand: Brand): PageTemplate {
  const styles = brand.color === null ? [STYLE] : [STYLE, colorsOf(brand.color)];
  const hashes = styles.map((style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  const head = styles.map((style) => `<style>${style}</style>`).join('\n');
  const [above, below] = [aboveBody(brand), belowBody(brand)];
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src ${hashes.join(' ')}; img-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    },
    render: ({ title, body, language = 'en' }) => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}
</head>
<body>
<main>
${above}${body}${below}
</main>
</body>
</html>
`,
  };
}

/** The template without a brand. */
export const PLAIN_PAGES = pageTemplate(NO_BRAND);

function aboveBody({ name, logo }: Brand): string {
  if (name === null && logo === null) return '';
  // A screen reader reads the name once.
  const image = logo === null ? '' : `<img src="${LOGO_PATH}" alt="">`;
  return `<div class="brand">${image}${name === null ? '' : `<span dir="auto" translate="no">${escapeHtml(name)}</span>`}</div>\n`;
}

function belowBody({ text, link }: Brand): string {
  if (text === null && link === null) return '';
  const paragraph = text === null ? '' : `<p dir="auto">${escapeHtml(text)}</p>\n`;
  const anchor =
    link === null
      ? ''
      : `<p><a dir="auto" href="${escapeHtml(link.url)}" rel="noreferrer">${escapeHtml(link.text)}</a></p>\n`;
  return `\n<div class="about">\n${paragraph}${anchor}</div>`;
}

function colorsOf(color: string): string {
  const { light, dark } = accentsOf(color);
  const root = ({ accent, on }: Accent) => `:root { --act: ${accent}; --on-act: ${on}; }`;
  return `\n${root(light)}\n@media (prefers-color-scheme: dark) { ${root(dark)} }\n`;
}

/** Returns text as HTML, also for the value of an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Returns true if a visitor's `Accept` header asks for a page rather than for JSON. */
export function wantsPage(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/html\b|\bapplication\/xhtml\+xml\b/i.test(accept);
}
