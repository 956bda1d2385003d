// Writes the JSON Schema of the files of `apply`, for editors.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** As in src/apply/links-file.ts. */
const EXCLUDED = ['password', 'auto_meta', 'managed_by'];

interface Schema {
  properties: Record<string, { $ref?: string }>;
}
const document = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve('@waymark/client/openapi.json')), 'utf8'),
) as {
  components: { schemas: Record<string, Schema> };
};
const { schemas } = document.components;
const { properties, ...link } = schemas.UpsertLinkInput!;
const fields = Object.entries(properties).filter(([name]) => !EXCLUDED.includes(name));
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
        // Most editors do not follow references into other files.
        properties: Object.fromEntries(
          fields.map(([name, { $ref, ...rest }]) => [name, { ...($ref && schemas[$ref.split('/').at(-1)!]), ...rest }]),
        ),
      },
    },
  },
  additionalProperties: false,
};
writeFileSync('dist/links.schema.json', `${JSON.stringify(schema, null, 1)}\n`);
