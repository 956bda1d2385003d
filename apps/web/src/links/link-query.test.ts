import { checkJobInput } from '@waymark/contract';
import { expect, test } from 'vitest';
import { jobFilter } from './link-query.ts';

test.each([{}, { archived: 'any' }, { q: 'sale' }, { q: ' ' }, { page: '2', sort: 'title' }, { hashtag: 'sale' }])(
  'the API takes the filter of a job for the links of the view %j',
  (view) => {
    const { page: _page, sort: _sort, ...filters } = view as Record<string, string>;
    expect(checkJobInput({ kind: 'delete', filter: jobFilter(view) })).toMatchObject({ filter: filters });
  },
);
