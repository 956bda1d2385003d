import { expect, test } from 'vitest';
import { searchTerms } from './link-list.ts';

test('a search is split at white space of any kind', () => {
  expect(searchTerms('  summer\tsale\u3000夏 ')).toEqual(['summer', 'sale', '夏']);
  expect(searchTerms(undefined)).toEqual([]);
  expect(searchTerms('   ')).toEqual([]);
});
