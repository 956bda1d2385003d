/**
 * Returns the parameters of a query string, decoded like `URLSearchParams`. A parameter that is sent once is a string.
 * A repeated one is an array, in order. The object has no prototype, so a name such as `__proto__` is harmless.
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

/** Returns the raw query string of a request target, without `?`. Returns an empty string if there is none. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark + 1);
}
