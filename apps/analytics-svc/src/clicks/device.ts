import type { Device } from '@waymark/contract';

/**
 * The words that name a kind of device; the first list with a word of the User-Agent decides. Visitors choose the text, so the
 * patterns have no unbounded repetition: one that backtracks can take a tenth of a second for a single click.
 */
const WORDS: readonly (readonly [Device, RegExp])[] = [
  [
    'other',
    /tv\b|smart-?tv|web0s|netcast|viera|bravia|roku|crkey|; aft[a-z]|playstation|xbox|nintendo|oculus|picobrowser|\bvr\b|\bwatch\b|watchos|tesla\/|qtcarbrowser|automotive/i,
  ],
  [
    'tablet',
    /ipad|tablet(?! pc)|\btab\b|\bpad\b|mediapad|matepad|playbook|kindle|\bkf[a-z]{3,4}\b|nexus (?:7|9|10)\b|\bsm-[tx]\d|\bgt-p\d|lenovo tb|\btb-?\d/i,
  ],
  ['mobile', /mobi|phone|ipod|blackberry|bb10|opera mini|symbian|series ?[46]0|kaios|midp|dalvik/i],
  // Android's browsers say "Mobile" on phones and nothing on tablets.
  ['tablet', /android/i],
  ['desktop', /windows|macintosh|mac os x|linux|x11|\bcros\b|bsd/i],
];

/** Returns the kind of device that a person's User-Agent names; `other` also where it names none. */
export function deviceOf(userAgent: string): Device {
  return WORDS.find(([, words]) => words.test(userAgent))?.[0] ?? 'other';
}
