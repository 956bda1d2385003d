/** What links-svc keeps of a User-Agent, or more. */
const LENGTH = 500;

/**
 * Beginnings and what follows them to the end: the patterns of ua-parser-js 1.x backtrack over them. Found by a search
 * over runs of the words in each of its patterns, for what takes the most CPU at 500 and at fewer characters.
 */
const SHAPES: readonly (readonly [start: string, run: string])[] = [
  // archos ?(5|gamepad2?|([\w ]*[t1789]|hello) ?\d+[\w ]*)( b|\)), for each start, in the fourth power
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

/** The n-th of unlike User-Agents that are as expensive to parse as we know, and which no list of bots knows. */
export function craftedUserAgent(n: number): string {
  const [start, run] = SHAPES[n % SHAPES.length]!;
  const text = `Mozilla/5.0 (${n.toString(36)}) ${start}`;
  return text + run.repeat(LENGTH).slice(0, LENGTH - text.length);
}
