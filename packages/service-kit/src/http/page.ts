import { createHash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --ground: #f4f5f7; --card: #fff; --line: #8c959f; --act: #1f5fbf; --on-act: #fff; --wrong: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a8b0b9; --ground: #15181c; --card: #1f2429; --line: #7d8590; --act: #8ab4f8; --on-act: #10233f; --wrong: #ffb4ab; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { width: 100%; max-width: 26rem; padding: 1.75rem 1.5rem; background: var(--card); border-radius: .75rem; box-shadow: 0 1px 3px rgb(0 0 0 / .2); }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25; }
p { margin: 0; color: var(--soft); }
p + p { margin-top: .75rem; }
form { margin-top: 1.25rem; }
label { display: block; margin-bottom: .375rem; font-weight: 600; }
input, button { width: 100%; min-height: 3rem; font: inherit; border-radius: .5rem; }
input { padding: 0 .75rem; color: inherit; background: transparent; border: 1px solid var(--line); }
input[aria-invalid] { border-color: var(--wrong); }
.button { display: grid; place-items: center; width: 100%; min-height: 3rem; border-radius: .5rem; text-decoration: none; }
.url { overflow-wrap: anywhere; color: var(--ink); }
button, .button { margin-top: 1rem; border: 0; background: var(--act); color: var(--on-act); font-weight: 600; cursor: pointer; }
input:focus-visible, button:focus-visible, .button:focus-visible { outline: 3px solid var(--act); outline-offset: 2px; }
#error { margin-top: .5rem; color: var(--wrong); }
`;

/**
 * The headers of a page made by {@link page}. It can use its own style and nothing else. There is no `form-action`,
 * because browsers also apply it to the redirect that follows the form, and a destination can be anywhere.
 */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

/** Returns a complete HTML page for visitors, without scripts and external resources. `title` and `body` are HTML. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** Returns text as HTML, also for the value of an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Returns true if a visitor's `Accept` header asks for a page rather than for JSON. */
export function wantsPage(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/html\b|\bapplication\/xhtml\+xml\b/i.test(accept);
}
