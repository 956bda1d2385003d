import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** What the OpenAPI document says of one method of one path. */
interface Operation {
  parameters?: { name: string; in: string; schema: object }[];
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, unknown>;
}
type Document = { paths: Record<string, Record<string, Operation>> };

export interface Asked {
  method: string;
  /** As it is sent, query included. */
  path: string;
}

export interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Judges requests and answers by an OpenAPI document alone: every schema it uses is compiled from the document. */
export class DocumentOracle {
  readonly #document: Document;
  readonly #templates: { pattern: RegExp; path: string }[];
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: object) {
    this.#document = document as Document;
    this.#ajv.addSchema(document, 'document');
    // Paths without parameters first: /docs is no slug, but neither is it in the document.
    this.#templates = Object.keys(this.#document.paths)
      .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
      .map((path) => ({ pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/?#]+')}$`), path }));
  }

  /** The schema of a body of this request, or undefined where the document has none. */
  bodySchema({ method, path }: Asked): ValidateFunction | undefined {
    const found = this.#find({ method, path });
    if (found?.operation.requestBody?.content['application/json'] === undefined) return undefined;
    return this.#compile([...found.pointer, 'requestBody', 'content', 'application/json', 'schema']);
  }

  /** The name of a query parameter that the document does not allow to be so, or undefined where all are allowed. */
  badParameter({ method, path }: Asked): string | undefined {
    const found = this.#find({ method, path });
    if (found === undefined) return undefined;
    const query = new URLSearchParams(path.split('?').slice(1).join('?'));
    const parameters = found.operation.parameters ?? [];
    if (path.startsWith('/api/')) {
      for (const name of query.keys()) {
        if (!parameters.some((parameter) => parameter.in === 'query' && parameter.name === name)) return name;
      }
    }
    for (const [index, parameter] of parameters.entries()) {
      if (parameter.in !== 'query' || !query.has(parameter.name)) continue;
      const values = query.getAll(parameter.name);
      const text = values[0]!;
      const isInteger = (parameter.schema as { type?: string }).type === 'integer';
      const value = isInteger && /^-?\d+$/.test(text) ? Number(text) : text;
      const check = this.#compile([...found.pointer, 'parameters', String(index), 'schema']);
      if (values.length > 1 || !check(value)) return parameter.name;
    }
    return undefined;
  }

  /** How an answer differs from the document; undefined where it does not, or where the document has no such operation. */
  difference(asked: Asked, { status, headers, body }: Answered): string | undefined {
    const found = this.#find(asked);
    if (found === undefined) return undefined;
    const described = found.operation.responses[status] as { $ref?: string } | undefined;
    if (described === undefined) return `status ${status} is not in the document`;
    const pointer =
      described.$ref === undefined
        ? [...found.pointer, 'responses', String(status)]
        : described.$ref.replace('#/', '').split('/');
    const { content } = this.#at(pointer) as { content?: Record<string, unknown> };
    if (asked.method === 'HEAD') return body.length === 0 ? undefined : 'an answer to HEAD has a body';
    if (content === undefined) return body.length === 0 ? undefined : `status ${status} has a body`;
    const type = String(headers['content-type']).split(';')[0]!;
    if (!(type in content)) return `content type ${type} is not in the document for ${status}`;
    if (type !== 'application/json') return undefined;
    const check = this.#compile([...pointer, 'content', type, 'schema']);
    return check(JSON.parse(body.toString())) ? undefined : `body: ${this.#ajv.errorsText(check.errors)}`;
  }

  #find({ method, path }: Asked): { operation: Operation; pointer: string[] } | undefined {
    const plain = path.split('?')[0]!;
    const template = this.#templates.find(({ pattern }) => pattern.test(plain))?.path;
    if (template === undefined || (template === '/{slug}' && OWN_PATHS.has(plain.toLowerCase()))) return undefined;
    const methods = this.#document.paths[template]!;
    const name = method === 'HEAD' && methods.head === undefined ? 'get' : method.toLowerCase();
    const operation = methods[name];
    return operation && { operation, pointer: ['paths', template, name] };
  }

  #at(pointer: string[]): unknown {
    return pointer.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], this.#document);
  }

  #compile(pointer: string[]): ValidateFunction {
    const encoded = pointer.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')));
    const reference = `document#/${encoded.join('/')}`;
    const check = this.#compiled.get(reference) ?? this.#ajv.compile({ $ref: reference });
    this.#compiled.set(reference, check);
    return check;
  }
}

/** What looks like a slug and is the service's own. */
const OWN_PATHS = new Set([
  '/docs',
  '/openapi.json',
  '/livez',
  '/readyz',
  '/healthz',
  '/startupz',
  '/mcp',
  '/api',
  '/register',
]);
