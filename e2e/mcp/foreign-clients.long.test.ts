import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOOL_NAMES, TOOLS } from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { api, createAccount, createLink, stack } from '../support/world.ts';
import { runCommand, runTool, scriptOf } from './support/run-tool.ts';

// SDKs of other languages convert the tools for a model and send arguments in their own way. The tests need Python with
// google-genai, openai-agents and mcp (PYTHON names the interpreter), and Go with the modules of ./foreign/go
// (`go mod download`). They use no network, and are skipped if these tools are missing.

const PYTHON = process.env.PYTHON ?? 'python3';
const FOREIGN = join(import.meta.dirname, 'foreign');
const MCP_URL = `${stack.publicUrl}/mcp`;

async function missingInPython(...modules: string[]): Promise<string | undefined> {
  const { exitCode } = await runCommand(PYTHON, ['-c', modules.map((name) => `import ${name}`).join('\n')]);
  return exitCode === 0 ? undefined : `${PYTHON} has no ${modules.join(', ')}`;
}

const [noGemini, noOpenAi] = await Promise.all([
  missingInPython('google.genai', 'mcp'),
  missingInPython('agents', 'agents.mcp'),
]);
const GO = { cwd: join(FOREIGN, 'go'), env: { GOPROXY: 'off', GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local' } };
const noGo =
  (await runCommand('go', ['list', '-deps', '.'], GO)).exitCode !== 0 && "Go or its SDK's modules are missing";

interface ModelRequest {
  contents: { parts: { functionResponse?: { name: string; response: { result: { isError?: boolean } } } }[] }[];
  tools: { functionDeclarations: { name: string; parameters: unknown }[] }[];
}

/** Starts a local server for Gemini's API. Its model makes these calls, then replies "done". */
async function startModel(calls: { name: string; args: object }[]) {
  const requests: ModelRequest[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push(JSON.parse(body) as ModelRequest);
    const parts = requests.length === 1 ? calls.map((functionCall) => ({ functionCall })) : [{ text: 'done' }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    requests,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
}

test("Google's SDK gives Gemini every tool, and Gemini's calls work", async ({ skip }) => {
  skip(noGemini !== undefined, noGemini);
  const account = await createAccount();
  const model = await startModel([
    { name: 'get_me', args: {} },
    { name: 'create_link', args: { destination_url: 'https://example.com/', title: 'From Gemini' } },
    { name: 'list_links', args: { per: 5 } },
  ]);
  const { exitCode, stdout, stderr } = await runCommand(PYTHON, [join(FOREIGN, 'gemini.py')], {
    env: { API_KEY: account.live, MCP_URL, MODEL_URL: model.url },
  });
  model.close();
  expect(exitCode, stderr).toBe(0);
  expect(stdout.trim()).toBe('done');
  const [first, second] = model.requests;
  const declared = first!.tools.flatMap(({ functionDeclarations }) => functionDeclarations);
  expect(declared.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
  for (const [index, { parameters }] of declared.entries())
    expect(Object.keys((parameters as { properties: object }).properties)).toEqual(
      Object.keys(TOOLS[index]!.inputSchema.properties as object),
    );
  const answers = second!.contents.at(-1)!.parts.map(({ functionResponse }) => functionResponse!);
  expect(answers.map(({ name }) => name)).toEqual(['get_me', 'create_link', 'list_links']);
  expect(JSON.stringify(answers)).not.toMatch(/"is_?error":\s*true/i);
  expect((await api(account.live).list()).body.links).toMatchObject([{ title: 'From Gemini' }]);
});

test("OpenAI's SDK makes every tool with arguments strict, and null means that an argument was not sent", async ({
  skip,
}) => {
  skip(noOpenAi !== undefined, noOpenAi);
  const account = await createAccount();
  const link = await createLink(account.live, { title: 'kept', note: 'kept', hashtags: ['kept'] });
  /** Returns a call with every argument present, as strict mode requires. Arguments not in `args` are null. */
  const all = (tool: string, args: Record<string, unknown>) => {
    const { properties } = TOOLS.find(({ name }) => name === tool)!.inputSchema;
    return [tool, { ...Object.fromEntries(Object.keys(properties as object).map((name) => [name, null])), ...args }];
  };
  const calls = [
    all('get_me', {}),
    all('list_links', { per: 5 }),
    all('create_link', { destination_url: 'https://example.com/' }),
    all('update_link', { id: link.id, title: '', hashtags: [] }),
    all('get_analytics', { days: 1 }),
    all('delete_link', { id: `${link.slug}-2` }),
    all('create_link', { destination_url: 'https://example.com/', shortUrl: 'x' }),
  ];
  const { exitCode, stdout, stderr } = await runCommand(PYTHON, [join(FOREIGN, 'openai_strict.py')], {
    env: { API_KEY: account.live, MCP_URL, CALLS: JSON.stringify(calls) },
  });
  expect(exitCode, stderr).toBe(0);
  const { tools, outputs } = JSON.parse(stdout) as {
    tools: { name: string; strict: boolean; schema: { properties: object; required?: string[] } }[];
    outputs: unknown[];
  };
  expect(tools.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
  for (const { name, strict, schema } of tools) {
    const names = Object.keys(schema.properties);
    // The SDK does not convert a tool without arguments.
    expect(strict, name).toBe(names.length > 0);
    if (strict) expect(schema.required, name).toEqual(names);
    expect(JSON.stringify(schema), name).not.toContain('"default"');
  }
  const texts = outputs.map((output) => JSON.stringify(output));
  for (const text of texts.slice(0, 5)) expect(text).toMatch(/username|links|short_url|clicks_by_day/);
  expect(texts[5]).toContain('Find its id, slug or short URL with list_links.');
  expect(texts[6]).toContain('is not a known field; the known ones are');
  expect((await api(account.live).get(link.id)).body).toMatchObject({ title: null, note: 'kept', hashtags: [] });
});

test("Go's SDK calls tools with a nil map", async ({ skip }) => {
  skip(noGo !== false, noGo || '');
  const account = await createAccount();
  const folder = await mkdtemp(join(tmpdir(), 'waymark-go-'));
  try {
    const client = join(folder, 'client');
    const built = await runCommand('go', ['build', '-o', client, '.'], GO);
    expect(built.exitCode, built.stderr).toBe(0);
    const env = { API_KEY: account.public, MCP_URL };
    const { exitCode, stdout, stderr } = await runCommand(client, ['get_me', 'list_links', 'delete_link'], { env });
    expect(exitCode, stderr).toBe(0);
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results).toMatchObject([
      { structuredContent: { username: account.username, key_scope: 'public_links_only' } },
      { structuredContent: { links: [], total: 0 } },
      { isError: true, content: [{ type: 'text', text: '"id" is required.' }] },
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

describe("the Inspector's command line", () => {
  let home: string;
  let key: string;
  beforeAll(async () => {
    key = (await createAccount()).live;
    home = await mkdtemp(join(tmpdir(), 'waymark-inspector-'));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));
  const inspect = (...args: string[]) =>
    runTool(
      scriptOf('@modelcontextprotocol/inspector', 'mcp-inspector'),
      ['--cli', MCP_URL, '--transport', 'http', '--header', `Authorization: Bearer ${key}`, ...args],
      { HOME: home },
    );

  test.each(['legacy', 'modern'])('finds no problem in the tools with --strict (protocol era %s)', async (era) => {
    const strict = ['--method', 'tools/list', '--strict', '--protocol-era', era];
    const { exitCode, stdout, stderr } = await inspect(...strict);
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout).tools.map(({ name }: { name: string }) => name)).toEqual([...TOOL_NAMES]);
    expect(stderr).not.toMatch(/^Error/m);
  });

  test.each(['legacy', 'modern'])('calls a tool (protocol era %s)', async (era) => {
    const call = ['--method', 'tools/call', '--protocol-era', era, '--tool-name'];
    const list = await inspect(...call, 'list_links', '--tool-args-json', '{"per":1}');
    expect(list.exitCode, list.stderr).toBe(0);
    expect(JSON.parse(list.stdout).structuredContent).toMatchObject({ page: 1, per: 1 });
    const refused = await inspect(...call, 'list_links', '--tool-args-json', '{"per":101}');
    expect(JSON.parse(refused.stdout)).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: '"per" must be between 1 and 100; you sent 101.' }],
    });
  });
});
