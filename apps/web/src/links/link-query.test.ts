import { checkJobInput } from '@waymark/contract';
import { expect, test } from 'vitest';
import { jobFilter } from './link-query.ts';

test.each([{}, { archived: 'any' }, { q: 'sale' }, { page: '2', sort: 'title' }])(
  'the API takes the filter of a job for the links of the view %j',
  (view) => {
    expect(checkJobInput({ kind: 'delete', filter: jobFilter(view) })).toMatchObject({
      filter: { archived: view.archived ?? 'false' },
    });
  },
);
