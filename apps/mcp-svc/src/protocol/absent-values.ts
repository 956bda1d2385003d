/** The only lists that a client may send outside of `arguments`: the icons in its description, and their sizes. */
const LISTS: ReadonlySet<string> = new Set(['icons', 'sizes']);

/**
 * Removes the null members of a parsed message or batch, and replaces its empty lists by empty objects. Some clients send
 * them for missing values: null in C#, Go and Emacs Lisp, an empty list in PHP. `arguments` stay: the tools check them.
 */
export function removeAbsentValues(body: unknown): void {
  for (const message of Array.isArray(body) ? body : [body]) if (isObject(message)) cleanMessage(message);
}

/** Walks without recursion, because the depth is the client's choice. */
function cleanMessage(message: Record<string, unknown>): void {
  const { params } = message;
  const reached: object[] = [message];
  for (const parent of reached) {
    if (Array.isArray(parent)) {
      for (const item of parent) if (isObject(item)) reached.push(item);
      continue;
    }
    const members = parent as Record<string, unknown>;
    for (const [name, value] of Object.entries(members)) {
      if (value === null) delete members[name];
      else if (Array.isArray(value) && value.length === 0 && !LISTS.has(name)) members[name] = {};
      else if (isObject(value) && !(members === params && name === 'arguments')) reached.push(value);
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
