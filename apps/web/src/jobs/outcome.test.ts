import type { Job } from '@waymark/contract';
import { expect, test } from 'vitest';
import { countsText, NO_COUNTS, outcomeText } from './outcome.ts';

const job = (changes: Partial<Job>): Job => ({
  id: 'a',
  kind: 'edit',
  state: 'done',
  dry_run: false,
  matched: 0,
  done: 0,
  ...NO_COUNTS,
  title: 'All links archived',
  actor: null,
  created_at: '2026-11-26T20:00:00.000Z',
  finished_at: '2026-11-26T20:00:01.000Z',
  undo_until: null,
  ...changes,
});

test('the words say what was done', () => {
  expect(countsText({ ...NO_COUNTS, deleted: 1200, unchanged: 3, refused: 2 })).toBe(
    '1,200 links deleted, 3 unchanged, 2 refused.',
  );
  expect(countsText({ ...NO_COUNTS, changed: 1 })).toBe('1 link changed.');
  expect(countsText({ ...NO_COUNTS, unchanged: 1, refused: 2 })).toBe('1 link unchanged, 2 refused.');
  expect(countsText(NO_COUNTS)).toBe('Nothing was changed.');
});

test('the outcome of an import counts rows, and that of a job that ended early says so', () => {
  expect(outcomeText(job({ kind: 'import', refused: 1 }))).toBe('1 row refused.');
  expect(outcomeText(job({ kind: 'import', created: 2, refused: 1 }))).toBe('2 links created, 1 refused.');
  expect(outcomeText(job({ kind: 'delete', state: 'cancelled', deleted: 5 }))).toBe('Cancelled. 5 links deleted.');
  expect(outcomeText(job({ state: 'failed', changed: 5 }))).toBe('The job could not go on. 5 links changed.');
  const notice = 'The key that began this job was revoked.';
  expect(outcomeText(job({ state: 'failed', changed: 5, notice }))).toBe(`${notice} 5 links changed.`);
  expect(outcomeText(job({ dry_run: true, changed: 5 }))).toBe('Only counted: 5 links changed.');
});

test('the words say so if other links matched than the user saw', () => {
  const done = job({ kind: 'delete', matched: 99, done: 99, deleted: 99 });
  expect(outcomeText(done, 99)).toBe('99 links deleted.');
  expect(outcomeText(done, 101)).toBe('99 links deleted. 2 of the 101 no longer matched.');
  expect(outcomeText(job({ kind: 'delete', state: 'failed', matched: 161 }), 101)).toBe(
    'More than the 101 links match by now. Nothing was done.',
  );
  const notice = 'The key that began this job was revoked.';
  expect(outcomeText(job({ state: 'failed', matched: 101, notice }), 101)).toBe(`${notice} Nothing was changed.`);
});

test('whatever the server notes about a job is said after what it did', () => {
  const refusals = 'A job keeps its first 10,000 refusals; 5 more are only counted.';
  expect(outcomeText(job({ kind: 'import', refused: 10_005, notice: refusals }))).toBe(
    `10,005 rows refused. ${refusals}`,
  );
  expect(outcomeText(job({ state: 'cancelled', changed: 5, notice: refusals }))).toBe(
    `Cancelled. 5 links changed. ${refusals}`,
  );
  const archived = '3 archived links also match; send "archived" any to include them.';
  expect(outcomeText(job({ matched: 5, changed: 5, notice: archived }), 6)).toBe(
    '5 links changed. 1 of the 6 no longer matched. 3 archived links also match.',
  );
  expect(outcomeText(job({ dry_run: true, changed: 5, notice: `${archived} ${refusals}` }))).toBe(
    `Only counted: 5 links changed. 3 archived links also match. ${refusals}`,
  );
});
