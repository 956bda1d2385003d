// Writes the JSON Schema of the files of `apply`, for editors.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** As in src/apply/links-file.ts. */
const EXCLUDED = ['password', 'auto_meta', 'managed_by'];

type Schemas = Record<string, { properties: Record<string, unknown> }>;
const document = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve('@waymark/client/openapi.json')), 'utf8'),
) as {
  components: { schemas: Schemas };
};
const { schemas } = document.components;
const { properties, ...link } = whole(schemas.UpsertLinkInput!) as Schemas[string];

/** Returns a schema with what it refers to: most editors follow no references into other files. */
function whole(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(whole);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...own } = schema as Record<string, unknown>;
  const named = typeof $ref === 'string' ? schemas[$ref.split('/').at(-1)!] : {};
  return Object.fromEntries(Object.entries({ ...named, ...own }).map(([name, value]) => [name, whole(value)]));
}

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Links of Waymark',
  type: 'object',
  required: ['links'],
  properties: {
    links: {
      type: 'array',
      description: 'The links to make.',
      items: {
        ...link,
        description: 'A link. Fields that it does not name stay as they are.',
        properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !EXCLUDED.includes(name))),
      },
    },
  },
  additionalProperties: false,
};
writeFileSync('dist/links.schema.json', `${JSON.stringify(schema, null, 1)}\n`);
