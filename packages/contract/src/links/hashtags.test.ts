import { expect, test } from 'vitest';
import { normalizeHashtags } from './hashtags.ts';

test('a leading # is dropped, case folded, duplicates removed, order kept', () => {
  expect(normalizeHashtags(['#Sale', 'summer', 'SALE', '#summer', 'É', 'E\u0301'])).toEqual(['sale', 'summer', 'é']);
});
