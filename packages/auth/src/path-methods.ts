const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Which methods the paths of an app have. */
export class PathMethods {
  readonly #routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  /** Adds a route: a path in Fastify's notation, without wildcards. */
  add(path: string, methods: readonly string[]): void {
    const pattern = new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[^/]+/g, '[^/]+')}/?$`);
    const route = this.#routes.get(path) ?? { pattern, methods: new Set() };
    for (const method of methods) route.methods.add(method);
    this.#routes.set(path, route);
  }

  /** The methods of a request's target; none for a path that is unknown. */
  of(target: string): string[] {
    const path = target.split('?', 1)[0]!;
    const found = [...this.#routes.values()].filter(({ pattern }) => pattern.test(path));
    const methods = new Set(found.flatMap((route) => [...route.methods]));
    return ORDER.filter((method) => methods.has(method));
  }
}
