/** The values of a view's query parameters that are in the address. */
export type SearchValues<Name extends string> = Partial<Record<Name, string | undefined>>;

/** Returns the values of these parameters. An empty value counts as none. */
export function searchValues<Name extends string>(
  parameters: URLSearchParams,
  names: readonly Name[],
): SearchValues<Name> {
  const found: SearchValues<Name> = {};
  for (const name of names) {
    const value = parameters.get(name);
    if (value) found[name] = value;
  }
  return found;
}
