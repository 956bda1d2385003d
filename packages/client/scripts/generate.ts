// Writes the OpenAPI document, and its TypeScript types. `build` runs this first.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '@waymark/contract';
import openapiTypes, { astToString } from 'openapi-typescript';

const document = JSON.stringify(openApiDocument('https://go.example'));
write('dist/openapi.json', document);
write('src/generated/api.ts', astToString(await openapiTypes(document)));

function write(path: string, text: string): void {
  const file = join(import.meta.dirname, '..', path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}
