/** At least as long as the part of a User-Agent that links-svc stores. */
const LENGTH = 500;

/**
 * Prefixes and the text repeated after them, on which the patterns of ua-parser-js 1.x backtrack. A search found them:
 * it tried repetitions of the words of each pattern and kept those that use the most CPU within 500 characters.
 */
const SHAPES: readonly (readonly [start: string, run: string])[] = [
  // archos ?(5|gamepad2?|([\w ]*[t1789]|hello) ?\d+[\w ]*)( b|\)): fourth-power time for each start
  ['archos '.repeat(16), '1'],
  ['archos '.repeat(8), '1'],
  ['archos '.repeat(4), '1'],
  ['archos ', '1'],
  // (naver)\(.*?(\d+\.[\w\.]+).*\)
  ['naver('.repeat(20), '1.'],
  ['naver('.repeat(10), '1.'],
  // droid.+ version\/([\w\.]+)\b.+(?:mobile safari|safari)
  [`${'droid'.repeat(30)} version/`, '1.'],
  // droid .+?; ([^;]+?)(?: bui|; wv\)|\) applew).+? mobile safari
  [`${'droid '.repeat(32)}; a`, ' bui'],
];

/** Returns the n-th of many distinct User-Agents that are expensive to parse and that no list of bots contains. */
export function craftedUserAgent(n: number): string {
  const [start, run] = SHAPES[n % SHAPES.length]!;
  const text = `Mozilla/5.0 (${n.toString(36)}) ${start}`;
  return text + run.repeat(LENGTH).slice(0, LENGTH - text.length);
}
