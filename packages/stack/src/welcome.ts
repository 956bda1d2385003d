import type { DemoAccount } from './demo-account.ts';

/** A browser's User-Agent, since a click of `curl` itself counts as a robot's. */
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** What a person reads when the stack runs. Every `curl` line works as pasted, also more than once. */
export function welcome({
  publicUrl,
  demo,
  slug,
  dataDir,
}: {
  publicUrl: string;
  demo: DemoAccount;
  slug: string;
  dataDir: string;
}): string {
  const body = JSON.stringify({ destination_url: 'https://example.com/', slug, title: 'Hello' });
  return `
Waymark runs.

  API        ${publicUrl}/api/v1      (try it: ${publicUrl}/docs)
  MCP        ${publicUrl}/mcp
  Data       ${dataDir}

Keys of the account "demo"

  Full Access         ${demo.live}
  Public Links Only   ${demo.public}      (for AI agents)

Create a link, follow it, read its analytics:

  curl -sw '\\n' -X POST ${publicUrl}/api/v1/links -H 'Authorization: Bearer ${demo.live}' -H 'Content-Type: application/json' -H 'Idempotency-Key: ${slug}' -d '${body}'

  curl -s -o /dev/null -w '%{http_code} %{redirect_url}\\n' -A '${BROWSER}' ${publicUrl}/${slug}

  curl -sw '\\n' '${publicUrl}/api/v1/analytics?days=7' -H 'Authorization: Bearer ${demo.live}'

Connect an agent over MCP:

  claude mcp add --transport http waymark ${publicUrl}/mcp --header 'Authorization: Bearer ${demo.public}'

Ctrl-C stops everything; the data stays.
`;
}
