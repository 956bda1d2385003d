const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The HTTP methods of each path of an app. */
export class PathMethods {
  readonly #routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  /** Adds a route. The path is in Fastify's notation, without wildcards. */
  add(path: string, methods: readonly string[]): void {
    const pattern = new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[^/]+/g, '[^/]+')}/?$`);
    const route = this.#routes.get(path) ?? { pattern, methods: new Set() };
    for (const method of methods) route.methods.add(method);
    this.#routes.set(path, route);
  }

  /** Returns the methods of a request target's path. Returns an empty array if the path is unknown. */
  of(target: string): string[] {
    const path = target.split('?', 1)[0]!;
    const found = [...this.#routes.values()].filter(({ pattern }) => pattern.test(path));
    const methods = new Set(found.flatMap((route) => [...route.methods]));
    return ORDER.filter((method) => methods.has(method));
  }
}
