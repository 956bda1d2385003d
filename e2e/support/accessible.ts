import { axeFindings, type Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';

/** One for each screen. In the long form each screen has both. */
const SCHEMES = process.env.COLOR_SCHEMES?.split(',') as ('light' | 'dark')[] | undefined;
const WITHOUT_SCROLLING = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** The screens that everything is shown on, as options of a window. */
export const SCREENS = [
  ['a desktop', {}],
  ['a phone', { viewport: { width: 320, height: 740 }, hasTouch: true, isMobile: true }],
] as const;

/** Expects that axe finds nothing, and that nothing is wider than the screen. A desktop is light, a phone is dark. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  const isNarrow = page.viewportSize()!.width < 400;
  for (const colorScheme of SCHEMES ?? [isNarrow ? 'dark' : 'light']) {
    await page.emulateMedia({ colorScheme });
    expect(await axeFindings(page), `${what}, ${colorScheme}`).toEqual([]);
  }
  expect(await page.evaluate(WITHOUT_SCROLLING), `${what} scrolls sideways`).toBe(0);
}
