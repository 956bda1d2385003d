import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accentsOf, contrast, isHexColor, luminance } from './accents.ts';

/** The backgrounds on which the pages and the dashboard use the color of a brand. */
const BACKGROUNDS = {
  light: ['#ffffff', '#f4f5f7', '#f7f7f9', '#f4f4f7', '#eeeef3'],
  dark: ['#15181c', '#1f2429', '#0d1017', '#161a23', '#11151d', '#222836'],
};
const anyColor = fc.integer({ min: 0, max: 0xff_ff_ff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

test('each shade of any color can be read on what it stands on, in both themes', () => {
  fc.assert(
    fc.property(anyColor, (color) => {
      const accents = accentsOf(color);
      for (const theme of ['light', 'dark'] as const) {
        const { accent, hover, on, soft, text } = accents[theme];
        const pairs = [
          [on, accent],
          [on, hover],
          [text, soft],
          ...BACKGROUNDS[theme].map((ground) => [accent, ground]),
        ];
        for (const [one, other] of pairs) expect(contrast(one!, other!)).toBeGreaterThanOrEqual(4.5);
        for (const shade of [accent, hover, on, soft, text]) expect(isHexColor(shade)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test('a color that can be read stays as it is', () => {
  expect(accentsOf('#1f5fbf').light.accent).toBe('#1f5fbf');
  expect(accentsOf('#8ab4f8').dark.accent).toBe('#8ab4f8');
});

test('contrast and luminance are those of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect([luminance('#000000'), luminance('#ffffff')]).toEqual([0, 1]);
});
