import type { OpenApiDocument } from '@waymark/contract';
import { type Html, html } from './html.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: string[];
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}
interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required: boolean;
  example?: unknown;
  schema: Schema;
}
interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
}
interface Response {
  $ref?: string;
  description: string;
  headers?: Record<string, { $ref?: string; description?: string; example?: unknown }>;
  content?: Record<string, Media>;
}
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
}
interface Endpoint extends Operation {
  method: string;
  path: string;
}

const METHODS = ['get', 'post', 'put', 'delete', 'head'];

/** Renders the page of `GET /docs`: it describes every operation and has a form to try each operation of the API. */
export function docsPage(document: OpenApiDocument): string {
  const info = document.info as { title: string; summary: string; description: string };
  const tags = document.tags as { name: string; description: string }[];
  const [server] = document.servers as { url: string }[];
  const endpoints = endpointsOf(document);
  const groups = tags.map((tag) => ({ ...tag, endpoints: endpoints.filter(({ tags: own }) => own[0] === tag.name) }));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/docs.css">
<script src="/docs/docs.js" type="module"></script>
</head>
<body data-server="${server!.url}">
<a class="skip" href="#main">Skip to the operations</a>
<header>
<h1>${info.title} API</h1>
<p class="lead">${info.summary}. <code>${server!.url}</code> · <a href="/openapi.json">OpenAPI document</a></p>
<form id="key-form">
<label for="key">API key</label>
<input id="key" type="password" autocomplete="off" placeholder="key_live_… or key_pub_…" spellcheck="false" aria-describedby="key-help">
<small id="key-help">Used by “Send” below. Kept in this tab only.</small>
</form>
</header>
<div class="columns">
<nav aria-label="Operations">${groups.map(
    (group) =>
      html`<h2>${group.name}</h2><ul>${group.endpoints.map(
        (one) => html`<li><a href="#${one.operationId}">${badge(one.method)} ${one.summary}</a></li>`,
      )}</ul>`,
  )}</nav>
<main id="main">
${prose(info.description)}
${groups.map(
  (group) => html`<section class="group" aria-label="${group.name}">
<h2>${group.name}</h2>
<p>${group.description}</p>
${group.endpoints.map((one) => operation(document, one))}
</section>`,
)}
</main>
</div>
</body>
</html>
`.text;
}

function endpointsOf(document: OpenApiDocument): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const { parameters: shared = [], ...methods } = item as Record<string, unknown> & { parameters?: Parameter[] };
    return METHODS.filter((method) => method in methods).map((method) => {
      const one = methods[method] as Operation;
      return { ...one, method, path, parameters: [...shared, ...(one.parameters ?? [])] };
    });
  });
}

function operation(document: OpenApiDocument, endpoint: Endpoint): Html {
  const { operationId, method, path, summary, description, parameters = [], requestBody, responses } = endpoint;
  const body = Object.entries(requestBody?.content ?? {})[0];
  return html`<article id="${operationId}">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="address">${badge(method)} <code>${path}</code></p>
<p>${inline(description)}</p>
${parameters.length === 0 ? '' : html`<h4>Parameters</h4>${fieldTable(parameters.map((one) => ({ ...one, note: one.in })))}`}
${body === undefined ? '' : html`<h4>Body <small>${body[0]}</small></h4>${bodyTable(document, body[1].schema)}`}
<h4>Answers</h4>
${Object.entries(responses).map(([status, one]) => response(document, status, resolve(document, one)))}
${endpoint.security === undefined ? tryForm(endpoint, body?.[1]) : ''}
</article>`;
}

interface Field {
  name: string;
  note?: string;
  required: boolean;
  description?: string;
  schema: Schema;
}

function bodyTable(document: OpenApiDocument, schema: Schema): Html {
  const { properties = {}, required = [] } = resolve(document, schema);
  return fieldTable(
    Object.entries(properties).map(([name, property]) => ({
      name,
      required: required.includes(name),
      ...(property.description === undefined ? {} : { description: property.description }),
      schema: property,
    })),
  );
}

function fieldTable(fields: Field[]): Html {
  return html`<dl class="fields">${fields.map(
    ({ name, note, required, description, schema }) => html`<div>
<dt><code>${name}</code>${required ? html` <b>required</b>` : ''}<small>${[note, ...rules(schema)].filter((one) => one !== undefined).join(' · ')}</small></dt>
<dd>${inline(description ?? '')}</dd>
</div>`,
  )}</dl>`;
}

/** Lists the constraints of a value, each in a few words. */
function rules(schema: Schema): string[] {
  const types = [schema.type ?? []].flat();
  const words = [types.includes('array') ? `array of ${schema.items?.type ?? 'values'}` : types.join(' or ')];
  if (schema.enum) words.push(schema.enum.join(' | '));
  if (schema.minimum !== undefined && schema.maximum !== undefined) words.push(`${schema.minimum}–${schema.maximum}`);
  if (schema.maxLength !== undefined) words.push(`${schema.minLength ?? 0}–${schema.maxLength} characters`);
  if (schema.maxItems !== undefined) words.push(`at most ${schema.maxItems}`);
  if (schema.default !== undefined) words.push(`default ${String(schema.default)}`);
  return words;
}

function response(
  document: OpenApiDocument,
  status: string,
  { description, headers = {}, content = {} }: Response,
): Html {
  const examples = Object.values(content).flatMap((media) =>
    (media.examples ? Object.values(media.examples).map(({ value }) => value) : [media.example]).filter(
      (value) => value !== undefined,
    ),
  );
  const shape = status.startsWith('2') ? content['application/json']?.schema : undefined;
  const lines = Object.entries(headers).map(([name, header]) => {
    const { example, description: about } = resolve(document, header);
    return html`<li><code>${name}: ${String(example)}</code> ${inline(about ?? '')}</li>`;
  });
  return html`<details>
<summary><span class="status s${status[0]!}">${status}</span> ${inline(description)}</summary>
<ul class="headers">${lines}</ul>
${shape === undefined ? '' : bodyTable(document, shape)}
${examples.map((value) => html`<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`)}
</details>`;
}

function tryForm({ operationId, method, path, parameters = [] }: Endpoint, body: Media | undefined): Html {
  const id = (name: string) => `${operationId}-${name}`;
  const examples = Object.values(body?.examples ?? { only: { value: body?.example } });
  return html`<details class="try">
<summary>Try it</summary>
<form data-method="${method.toUpperCase()}" data-path="${path}">
${parameters.map(
  (one) => html`<p><label for="${id(one.name)}"><code>${one.name}</code>${one.required ? ' (required)' : ''}</label>
<input id="${id(one.name)}" name="${one.name}" data-in="${one.in}" autocomplete="off" spellcheck="false"${one.required ? html` required` : ''}${
    one.schema.default === undefined ? '' : html` placeholder="${String(one.schema.default)}"`
  }></p>`,
)}
${
  body === undefined
    ? ''
    : html`<p><label for="${id('body')}">Body (JSON)</label>
<textarea id="${id('body')}" name="body" rows="8" spellcheck="false">${JSON.stringify(examples[0]!.value, null, 2)}</textarea></p>`
}
<p><button type="submit">Send</button></p>
<pre class="curl" tabindex="0" aria-label="The same request with curl"><code></code></pre>
<div class="result" role="status" hidden></div>
</form>
</details>`;
}

function badge(method: string): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`;
}

/** Renders paragraphs. Text between backticks becomes code. */
function prose(text: string): Html {
  return html`<div class="prose">${text.split('\n\n').map((one) => html`<p>${inline(one)}</p>`)}</div>`;
}
function inline(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** Returns what a reference within the document points to, or the value itself if it is not a reference. */
function resolve<Value extends { $ref?: string }>(document: OpenApiDocument, value: Value): Value {
  if (value.$ref === undefined) return value;
  const steps = value.$ref.replace('#/', '').split('/');
  return steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document) as Value;
}
