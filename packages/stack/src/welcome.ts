import type { DemoAccess } from './demo-account.ts';

/** A browser's User-Agent, because a click with that of `curl` is not counted. */
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** Extracts the short URL from a list of one link. */
const SHORT_URL = String.raw`sed 's/.*"short_url":"\([^"]*\)".*/\1/'`;

/**
 * Returns the text that is printed when the stack runs. Every `curl` line works as pasted, also repeatedly and after a
 * delete: the first creates another link each time, and the second follows the newest link.
 */
export function welcome({
  apiUrl,
  demo,
  dataDir,
  admin,
}: {
  apiUrl: string;
  demo: DemoAccess;
  dataDir: string;
  /** The beginning of the command lines that manage accounts. */
  admin: string;
}): string {
  const body = JSON.stringify({ destination_url: 'https://example.com/', title: 'Hello' });
  // Uses the key that sees only public and unlisted links, which anyone can follow.
  const newest = `curl -s '${apiUrl}/api/v1/links?per=1' -H 'Authorization: Bearer ${demo.public}' | ${SHORT_URL}`;
  return `
Waymark runs.

  Dashboard  ${demo.signInUrl}
             (This link works once, for 15 minutes. Make another one as below.)
  API        ${apiUrl}/api/v1      (try it: ${apiUrl}/docs)
  MCP        ${apiUrl}/mcp
  Data       ${dataDir}

Keys of the account "demo"

  Full Access         ${demo.live}
  Public Links Only   ${demo.public}      (for AI agents)

Create a link, follow it as a browser would, read the analytics:

  curl -sw '\\n' -X POST ${apiUrl}/api/v1/links -H 'Authorization: Bearer ${demo.live}' -H 'Content-Type: application/json' -d '${body}'

  curl -s -o /dev/null -w '%{http_code} %{redirect_url}\\n' -A '${BROWSER}' "$(${newest})"

  curl -sw '\\n' '${apiUrl}/api/v1/analytics?days=7' -H 'Authorization: Bearer ${demo.live}'

Make another link to sign in to the dashboard:

  ${admin} account sign-in-link --username demo

Connect an agent over MCP:

  claude mcp add --transport http waymark ${apiUrl}/mcp --header 'Authorization: Bearer ${demo.public}'

Ctrl-C stops everything; the data stays.
`;
}
