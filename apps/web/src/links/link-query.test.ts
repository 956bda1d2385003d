import { checkJobInput } from '@waymark/contract';
import { expect, test } from 'vitest';
import { jobFilter } from './link-query.ts';

test.each([
  [{}, { created_after: '1970-01-01' }],
  [{ q: ' ', archived: 'false' }, { created_after: '1970-01-01' }],
  [{ page: '2', sort: 'title', archived: 'any' }, { all: true }],
  [{ archived: 'true' }, { archived: 'true' }],
  [{ q: 'sale' }, { q: 'sale' }],
  [
    { page: '2', hashtag: 'sale', archived: 'any' },
    { hashtag: 'sale', archived: 'any' },
  ],
])('the API takes the filter of a job for the links of the view %j', (view, filter) => {
  expect(jobFilter(view)).toEqual(filter);
  expect(checkJobInput({ kind: 'delete', filter: jobFilter(view) })).toMatchObject({ filter });
});
