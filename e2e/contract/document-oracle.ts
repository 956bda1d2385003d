import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** One operation of the OpenAPI document. */
interface Operation {
  parameters?: { name: string; in: string; schema: object }[];
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, unknown>;
}
type Document = { paths: Record<string, Record<string, Operation>> };

export interface Asked {
  method: string;
  /** The path as sent, including the query. */
  path: string;
}

export interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** A checker of requests and responses that uses only the schemas of an OpenAPI document. */
export class DocumentOracle {
  readonly #document: Document;
  readonly #templates: { pattern: RegExp; path: string }[];
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: object) {
    this.#document = document as Document;
    this.#ajv.addSchema(document, 'document');
    // OpenAPI matches paths without parameters before paths with parameters.
    this.#templates = Object.keys(this.#document.paths)
      .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
      .map((path) => ({
        pattern: new RegExp(`^${path.replaceAll('+', '\\+').replace(/\{[^}]+\}/g, '[^/?#]+')}$`),
        path,
      }));
  }

  /** Returns the schema of the request's JSON body, or undefined if the document has none. */
  bodySchema({ method, path }: Asked): ValidateFunction | undefined {
    const found = this.#find({ method, path });
    if (found?.operation.requestBody?.content['application/json'] === undefined) return undefined;
    return this.#compile([...found.pointer, 'requestBody', 'content', 'application/json', 'schema']);
  }

  /** Returns the name of an unknown or invalid query parameter, or undefined if all are valid. */
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

  /** Returns how a response violates the document, or undefined if it conforms or the document lacks the operation. */
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

/** Paths that match /{slug} but are endpoints of the service. The document does not list them. */
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
  '/token',
  '/authorize',
]);
