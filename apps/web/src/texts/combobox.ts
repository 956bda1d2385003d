import { countText } from './locale.ts';

/** Texts of fields with suggestions. */
export const combobox = {
  found: (n: number) => `${countText(n, 'suggestion')}. Use the arrow keys to choose.`,
};
