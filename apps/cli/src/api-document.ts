import document from '@waymark/client/openapi.json' with { type: 'json' };

/** A JSON Schema of the API, with what this command line reads of it. */
export interface Schema {
  type?: string | string[];
  enum?: string[];
  items?: Schema;
  description?: string;
  properties?: Record<string, Schema>;
  $ref?: string;
}

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; description: string; schema: Schema }[];
}

const operations = Object.values(document.paths as unknown as Record<string, Record<string, Operation>>).flatMap(
  (item) => Object.values(item),
);

/** Returns the query parameters of an operation, in the order of the document. */
export function queryParameters(operationId: string): Record<string, Schema> {
  const operation = operations.find((one) => one.operationId === operationId)!;
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  return Object.fromEntries(
    parameters.map(({ name, description, schema }) => [name, { ...resolved(schema), description }]),
  );
}

/** Returns the fields of a named schema. */
export function fieldsOf(name: 'CreateLinkInput' | 'UpdateLinkInput' | 'UpdateHostInput'): Record<string, Schema> {
  const { properties } = (document.components.schemas as unknown as Record<string, Schema>)[name]!;
  return Object.fromEntries(Object.entries(properties!).map(([field, schema]) => [field, resolved(schema)]));
}

function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined
    ? schema
    : { ...(document.components.schemas as unknown as Record<string, Schema>)[name], ...schema };
}
