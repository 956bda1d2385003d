/** The parameters that say where visitors come from, in the order of their fields. */
export const UTM_NAMES = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
export type UtmName = (typeof UTM_NAMES)[number];

/** Returns the value of a parameter of a URL, or an empty text. Of several, the first one counts, as in the analytics. */
export function readUtm(url: string, name: UtmName): string {
  return (
    partsOf(url)
      .parts.map(read)
      .find(([found]) => found === name)?.[1] ?? ''
  );
}

/** Sets a parameter of a URL, or removes it if the value is empty. Returns the new URL. No other byte changes. */
export function withUtm(url: string, name: UtmName, value: string): string {
  if (readUtm(url, name) === value) return url;
  const { start, parts, fragment } = partsOf(url);
  const at = parts.findIndex((part) => read(part)[0] === name);
  const others = parts.filter((part) => read(part)[0] !== name);
  if (value !== '') others.splice(at < 0 ? others.length : at, 0, String(new URLSearchParams([[name, value]])));
  return start + (others.length > 0 ? `?${others.join('&')}` : '') + fragment;
}

/** Returns a URL without any of the parameters. */
export function withoutUtm(url: string): string {
  return UTM_NAMES.reduce((rest, name) => withUtm(rest, name, ''), url);
}

function partsOf(url: string): { start: string; parts: string[]; fragment: string } {
  const [, start, query, fragment] = /^([^?#]*)(?:\?([^#]*))?(.*)$/s.exec(url)!;
  return { start: start!, parts: query ? query.split('&') : [], fragment: fragment! };
}

function read(part: string): [name?: string, value?: string] {
  // The sign before it keeps a question mark at its beginning.
  return [...new URLSearchParams(`&${part}`)][0] ?? [];
}
