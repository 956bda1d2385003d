import type { Device } from '@waymark/contract';

/**
 * Words that name a kind of device. The first pattern that matches the User-Agent decides. Visitors choose the text, so
 * no pattern has an unbounded repetition: backtracking would make a single click expensive.
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
  // Browsers on Android send "Mobile" on phones but not on tablets.
  ['tablet', /android/i],
  ['desktop', /windows|macintosh|mac os x|linux|x11|\bcros\b|bsd/i],
];

/** Returns the kind of device that a person's User-Agent names, or `other` if it names none. */
export function deviceOf(userAgent: string): Device {
  return WORDS.find(([, words]) => words.test(userAgent))?.[0] ?? 'other';
}
