import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { PLANS, SCOPES } from '../accounts/account.ts';
import { validator } from '../validate.ts';
import { MCP_INSTRUCTIONS } from './instructions.ts';
import { DeleteLinkArguments, GetMeArguments, TOOL_NAMES, TOOLS } from './tools.ts';

type Field = Record<string, unknown>;

test('the tools are those of contract section 6, in its order', () => {
  expect(TOOLS.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
  expect(TOOL_NAMES).toEqual(['get_me', 'list_links', 'create_link', 'update_link', 'delete_link', 'get_analytics']);
});

test('what a client is told of the tools is what was reviewed', async () => {
  await expect(`${JSON.stringify({ instructions: MCP_INSTRUCTIONS, tools: TOOLS }, null, 2)}\n`).toMatchFileSnapshot(
    './tools.snap',
  );
});

test('the list of tools is under 8 kB', () => {
  expect(Buffer.byteLength(JSON.stringify({ tools: TOOLS }))).toBeLessThan(7_800);
});

test('the instructions are under 2,000 characters', () => {
  expect(MCP_INSTRUCTIONS.length).toBeLessThan(2_000);
});

describe.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s', (_name, tool) => {
  const inputs = Object.entries(tool.inputSchema.properties as Record<string, Field>);

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

  test('takes and gives an object with known fields only', () => {
    for (const schema of [tool.inputSchema, tool.outputSchema])
      expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    for (const name of (tool.inputSchema.required ?? []) as string[]) expect(inputs.map(([n]) => n)).toContain(name);
  });

  test('describes and bounds every field that it takes', () => {
    for (const [name, field] of inputs) {
      expect(field.description, name).toMatch(/\S/);
      const bounded =
        field.type === 'boolean' ||
        field.enum !== undefined ||
        field.maxLength !== undefined ||
        field.maxItems !== undefined ||
        (field.minimum !== undefined && field.maximum !== undefined);
      expect(bounded, name).toBe(true);
    }
  });

  test('types every field that it gives, and says what the objects of a list have', () => {
    for (const [name, field] of Object.entries(tool.outputSchema.properties as Record<string, Field>)) {
      expect(field.type ?? field.enum ?? field.const, name).toBeDefined();
      if (field.type !== 'array') continue;
      const items = field.items as Field;
      expect(items.type === 'string' || /^Of \{\w+(, \w+)*\}$/.test(String(field.description)), name).toBe(true);
    }
  });

  test('is plain JSON Schema 2020-12 that any validator compiles', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    expect(() => ajv.compile(tool.inputSchema)).not.toThrow();
    expect(() => ajv.compile(tool.outputSchema)).not.toThrow();
  });

  test('says when to use which tool by names that exist', () => {
    for (const [mentioned] of tool.description.matchAll(/\b(?:get|list|create|update|delete)_\w+/g))
      expect(TOOL_NAMES).toContain(mentioned);
  });
});

test('a result tells what it does not show: closed lists, and that clicks may lag', () => {
  const fields = (tool: string) => TOOLS.find(({ name }) => name === tool)!.outputSchema.properties;
  expect(fields('get_me')).toMatchObject({ plan: { enum: [...PLANS] }, key_scope: { enum: [...SCOPES] } });
  expect(fields('delete_link')).toMatchObject({ deleted: { const: true } });
  for (const tool of ['create_link', 'update_link', 'get_analytics'])
    expect(fields(tool)).toMatchObject({ clicks: { type: 'integer', description: 'May lag seconds.' } });
});

test('a field with a default need not be sent', () => {
  const list = TOOLS.find(({ name }) => name === 'list_links')!;
  expect(list.inputSchema.required).toBeUndefined();
  expect(list.inputSchema.properties).toMatchObject({ per: { default: 25, minimum: 1, maximum: 100 } });
});

test('get_me takes nothing, delete_link an id', () => {
  expect(() => validator(GetMeArguments)({ a: 1 })).toThrow('"a" is not a known field; known are none.');
  expect(() => validator(DeleteLinkArguments)({})).toThrow('"id" is required.');
});
