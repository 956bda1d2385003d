import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { PLANS, SCOPES } from '../accounts/account.ts';
import { CROSS_PARTS } from '../analytics/analytics-query.ts';
import { BULK_LINK_FIELDS } from '../links/bulk.ts';
import { validator } from '../validate.ts';
import { MCP_INSTRUCTIONS } from './instructions.ts';
import { DeleteLinkArguments, TOOL_NAMES, TOOLS } from './tools.ts';

type Field = Record<string, unknown>;

/** The keywords that Gemini's and OpenAI's converters accept, also in OpenAI's strict mode, which rejects `default`. */
const CONVERTIBLE = [
  ...['type', 'description', 'properties', 'required', 'items', 'enum'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems'],
];

/** The fields of analytics that are always there. `fields` may leave out the others. */
const ANALYTICS_ALWAYS = 'days source tz from to clicks'.split(' ');
/** The fields that parameters add to the entries of lists, and those that are absent if there is nothing to say. */
const SOMETIMES = ['key', 'visitors', 'previous_clicks', 'notice', 'format', 'encoding', 'unused_columns', 'examples'];
/** An entry of `cross` has two of these. */
const CROSS_ENTRY = [...CROSS_PARTS, 'clicks'];

/** Returns the schema and all schemas inside it. */
function schemasIn(schema: Field): Field[] {
  const inner = [...Object.values((schema.properties ?? {}) as Record<string, Field>), schema.items as Field];
  return [schema, ...inner.filter((one) => one !== undefined).flatMap(schemasIn)];
}

test('the tools are those that docs/mcp.md lists, in its order', () => {
  expect(TOOLS.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
  expect(TOOL_NAMES).toEqual([
    ...[
      'get_me',
      'list_links',
      'get_link',
      'create_link',
      'update_link',
      'delete_link',
      'get_analytics',
      'bulk_edit_links',
    ],
    ...['get_qr_code', 'edit_links', 'get_job', 'undo_job', 'list_hashtags', 'list_events'],
  ]);
});

test('the published tools are those of the reviewed snapshot', async () => {
  await expect(`${JSON.stringify({ instructions: MCP_INSTRUCTIONS, tools: TOOLS }, null, 2)}\n`).toMatchFileSnapshot(
    './tools.snap',
  );
});

test('the tool list without output schemas is under 12,288 bytes', () => {
  const read = TOOLS.map(({ outputSchema: _, ...tool }) => tool);
  expect(Buffer.byteLength(JSON.stringify({ tools: read }))).toBeLessThan(12_288);
});

test('the instructions are under 2,000 characters', () => {
  expect(MCP_INSTRUCTIONS.length).toBeLessThan(2_000);
});

describe.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s', (_name, tool) => {
  test('has a title, a description and the four annotations', () => {
    expect(tool.title).toMatch(/^[A-Z]/);
    expect(tool.description.length).toBeGreaterThan(60);
    expect(Object.keys(tool.annotations).sort()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ]);
    for (const hint of Object.values(tool.annotations)) expect(hint).toBeTypeOf('boolean');
    if (tool.annotations.readOnlyHint) expect(tool.annotations.destructiveHint).toBe(false);
  });

  test('has an input that the converters of Gemini and OpenAI accept', () => {
    expect(tool.inputSchema).toMatchObject({ type: 'object', properties: {} });
    for (const schema of schemasIn(tool.inputSchema)) {
      // Exactly one type, never null: null means that an argument was not sent.
      expect(['object', 'array', 'string', 'integer', 'boolean']).toContain(schema.type);
      for (const keyword of Object.keys(schema)) expect(CONVERTIBLE, JSON.stringify(schema)).toContain(keyword);
      if (schema.type === 'array') expect(schema.items).toBeTypeOf('object');
      for (const word of (schema.enum ?? []) as unknown[]) expect(word).toBeTypeOf('string');
      for (const name of (schema.required ?? []) as string[]) expect(schema.properties).toHaveProperty(name);
    }
  });

  test('describes every argument, and bounds numbers and lists', () => {
    // Other tools describe the fields of these; tests below compare them.
    const described = ['operations', 'filter', 'change'];
    for (const [name, field] of Object.entries(tool.inputSchema.properties as Record<string, Field>)) {
      if (!described.includes(name))
        for (const item of schemasIn(field).slice(1)) expect(item).toEqual({ type: 'string' });
      // As in create_link.
      if (tool.name !== 'update_link') expect(field.description, name).toMatch(/\S/);
      // Texts are bounded by the server. The description of redirect_code lists its values.
      const bounded =
        !['integer', 'array'].includes(field.type as string) ||
        field.maxItems !== undefined ||
        tool.name === 'update_link' ||
        name === 'redirect_code' ||
        (field.minimum !== undefined && field.maximum !== undefined);
      expect(bounded, name).toBe(true);
    }
  });

  test('describes every field of its result, at every depth', () => {
    for (const schema of tool.outputSchema === undefined ? [] : schemasIn(tool.outputSchema)) {
      expect(schema.type ?? schema.const, JSON.stringify(schema)).toBeDefined();
      if (schema.type === 'array') expect(schema.items).toBeTypeOf('object');
      // What an event is about has no schema.
      if (schema.type !== 'object' || schema.properties === undefined) continue;
      const names = Object.keys(schema.properties as object);
      const isAnalytics = tool.name === 'get_analytics' && schema === tool.outputSchema;
      // `fields` limits the links of a list.
      const isPartial = (schema.description as string | undefined)?.includes('some of its fields') === true;
      const isActor = (name: string) => tool.name === 'list_events' && name === 'actor';
      const always = names.filter((name) => !SOMETIMES.includes(name) && !isActor(name));
      // A result of an operation has either a link or an error, or neither.
      const isResult = tool.name === 'bulk_edit_links' && names.includes('error');
      const isCross = String(names) === String(CROSS_ENTRY);
      const isRule = names.includes('share');
      const expected = isPartial ? ['id'] : isResult ? ['status'] : isCross ? ['clicks'] : isRule ? ['to'] : always;
      expect(schema.required).toEqual(isAnalytics ? ANALYTICS_ALWAYS : expected);
      for (const [name, field] of Object.entries(schema.properties as Record<string, Field>))
        expect(field.description, name).toMatch(/\S/);
    }
  });

  test('is plain JSON Schema 2020-12 that any validator compiles', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    expect(() => ajv.compile(tool.inputSchema)).not.toThrow();
    expect(() => ajv.compile(tool.outputSchema ?? {})).not.toThrow();
  });

  test('mentions only tools that exist', () => {
    for (const [mentioned] of tool.description.matchAll(/\b(?:get|list|create|update|delete)_\w+/g))
      expect(TOOL_NAMES).toContain(mentioned);
  });
});

test('no tool recommends what a Public Links Only key may not do', () => {
  for (const { name, description } of TOOLS)
    expect(description, name).not.toMatch(/\bprivate\b|password|\bvisibility\b/);
  for (const tool of TOOLS) {
    const { visibility, password } = tool.inputSchema.properties as Record<string, Field | undefined>;
    for (const field of [visibility, password])
      if (field?.description !== undefined) expect(field.description, tool.name).toContain('Full Access key');
  }
});

test('an operation of bulk_edit_links lists the frequent fields of create_link, with their types', () => {
  const inputOf = (tool: string) => {
    const { properties } = TOOLS.find(({ name }) => name === tool)!.inputSchema;
    return properties as Record<string, Field>;
  };
  const { id, ...fields } = { ...inputOf('create_link'), ...inputOf('update_link') };
  const typeOf = ({ type, items }: Field): Field => ({ type, ...(items !== undefined && { items }) });
  const listed = Object.entries(fields).filter(([name]) => (BULK_LINK_FIELDS as readonly string[]).includes(name));
  const link = Object.fromEntries(listed.map(([name, field]) => [name, typeOf(field)]));
  expect(inputOf('bulk_edit_links').operations!.items).toEqual({
    type: 'object',
    properties: {
      op: { type: 'string', enum: ['create', 'update', 'upsert', 'delete'] },
      id: typeOf(id!),
      link: { type: 'object', properties: link },
    },
    required: ['op'],
  });
  expect(inputOf('bulk_edit_links').fields).toEqual(inputOf('list_links').fields);
});

test('edit_links lists frequent filters of list_links and fields of update_link, with their types', () => {
  const inputOf = (tool: string) =>
    TOOLS.find(({ name }) => name === tool)!.inputSchema.properties as Record<string, Field>;
  const typesOf = (fields: Record<string, Field>) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, { type, items }]) => [name, { type, ...(items !== undefined && { items }) }]),
    );
  const { filter, change } = inputOf('edit_links') as Record<
    'filter' | 'change',
    { properties: Record<string, Field> }
  >;
  const { q, hashtag, visibility, domain, archived, host } = inputOf('list_links');
  const filters = { q, hashtag, visibility, domain, archived, host } as Record<string, Field>;
  expect(filter.properties).toEqual({ ...typesOf(filters), all: { type: 'boolean' } });
  const { replace_hashtag, remove_hashtags, add_hashtags, replace_host, ...others } = change.properties;
  const updated = typesOf(inputOf('update_link'));
  for (const [name, field] of Object.entries(others)) expect(field, name).toEqual(updated[name]);
  for (const field of [replace_hashtag, replace_host])
    expect(field).toEqual({ type: 'object', properties: { from: { type: 'string' }, to: { type: 'string' } } });
  for (const field of [remove_hashtags, add_hashtags])
    expect(field).toEqual({ type: 'array', items: { type: 'string' } });
});

test('result schemas list the values of enumerations, and say that clicks may lag', () => {
  const fields = (tool: string) => TOOLS.find(({ name }) => name === tool)!.outputSchema!.properties;
  expect(fields('get_me')).toMatchObject({ plan: { enum: [...PLANS] }, key_scope: { enum: [...SCOPES] } });
  expect(fields('delete_link')).toMatchObject({ deleted: { const: true } });
  for (const tool of ['create_link', 'update_link'])
    expect(fields(tool)).toMatchObject({ clicks: { type: 'integer', description: expect.stringContaining('lag') } });
});

test('an argument with a default is optional, and its description names the default', () => {
  const list = TOOLS.find(({ name }) => name === 'list_links')!;
  expect(list.inputSchema.required).toBeUndefined();
  expect(list.inputSchema.properties).toMatchObject({
    per: { type: 'integer', minimum: 1, maximum: 100, description: 'Default: 25.' },
  });
});

test('delete_link takes an id', () => {
  expect(() => validator(DeleteLinkArguments)({})).toThrow('"id" is required.');
});
