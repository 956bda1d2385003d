/**
 * The parameters of a query string, decoded as `URLSearchParams` does: one that is sent once is a string, one that is
 * sent more often an array in order. The object has no prototype, so that no name can reach one.
 */
export function parseQueryString(text: string): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = Object.create(null);
  if (text === '') return parameters;
  for (const [name, value] of new URLSearchParams(text)) {
    const before = parameters[name];
    if (before === undefined) parameters[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else parameters[name] = [before, value];
  }
  return parameters;
}

/** The raw query string of a request target, without `?`; empty where there is none. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark + 1);
}
