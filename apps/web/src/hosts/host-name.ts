/** The parameters of RFC 3492, section 5. */
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const FIRST_BIAS = 72;
const FIRST_CODE = 128;

/** Returns a host as people write it: `grüße.example` for `xn--gre-6ka8l.example`. A label that cannot be read stays. */
export function readableHost(host: string): string {
  return host.replace(/(?<=^|\.)xn--([a-z\d-]+)/gi, (label, encoded: string) => decoded(encoded) ?? label);
}

/** Returns the label of a punycode, or null if it is none. */
function decoded(text: string): string | null {
  const end = text.lastIndexOf('-');
  const label = [...text.slice(0, Math.max(end, 0))];
  let code = FIRST_CODE;
  let bias = FIRST_BIAS;
  let index = 0;
  for (let at = end + 1; at < text.length; ) {
    const before = index;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = (Number.parseInt(text[at++] ?? '', BASE) + T_MAX) % BASE;
      if (Number.isNaN(digit)) return null;
      index += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = label.length + 1;
    bias = adapted(index - before, length, before === 0);
    code += Math.floor(index / length);
    index %= length;
    if (code > 0x10_ff_ff) return null;
    label.splice(index++, 0, String.fromCodePoint(code));
  }
  return label.join('');
}

function adapted(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
