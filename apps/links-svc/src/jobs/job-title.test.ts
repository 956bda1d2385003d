import type { JobInput } from '@waymark/contract';
import { expect, test } from 'vitest';
import { importTitleOf, titleOf, undoTitleOf } from './job-title.ts';

const title = (filter: JobInput['filter'], change?: JobInput['change']) =>
  titleOf(
    (change === undefined
      ? { kind: 'delete', filter, dry_run: false }
      : { kind: 'edit', filter, change, dry_run: false }) as JobInput,
  );

test.each<[JobInput['filter'], JobInput['change'], string]>([
  [{ hashtag: 'spring' }, { add_hashtags: ['#Promo'] }, '#promo added to links with #spring'],
  [{ all: true }, undefined, 'All links deleted'],
  [{ created_after: '1970-01-01' }, undefined, 'Links that are not archived deleted'],
  [{ created_after: '1970-01-01', archived: 'any' }, { archived: true }, 'Links archived or not archived'],
  [{ created_after: '1970-01-01', hashtag: 'a' }, undefined, 'Links with #a, that are not archived deleted'],
  [{ created_after: '1970-01-02' }, undefined, 'Links created since 1970-01-02 deleted'],
  [{ q: ' ', archived: 'true' }, undefined, 'Links that are archived deleted'],
  [{ ids: ['a', 'b', 'a'] }, { archived: true }, '2 links archived'],
  [{ ids: ['a'] }, undefined, '1 link deleted'],
  [{ q: 'sale\n now', archived: 'any' }, { archived: false }, 'Links matching "sale now", archived or not unarchived'],
  [
    { domain: 'a.example' },
    { replace_host: { from: 'a.example', to: 'b.example' } },
    'Host a.example replaced by b.example in links to a.example',
  ],
  [
    { hashtag: 'a' },
    { title: null, remove_hashtags: ['a', 'b', 'c', 'd', 'e'] },
    'Title removed, #a, #b, #c and 2 more removed from links with #a',
  ],
  [{ all: true }, { note: 'secret words' }, 'Note changed in all links'],
  [{ all: true }, { archived: true, visibility: 'private' }, 'Archived, visibility set to private in all links'],
])('%j and %j: %s', (filter, change, expected) => {
  expect(title(filter, change)).toBe(expected);
});

test('a title has at most 200 characters, on one line, whatever was sent', () => {
  const long = '😀'.repeat(200);
  const words = title(
    {
      q: long,
      destination_url: `https://example.com/${long}`,
      hashtag: 'x'.repeat(50),
      host: 'h'.repeat(253),
      domain: 'd'.repeat(253),
    },
    { title: long, description: `a\nb${long}`, expired_url: long, destination_url: long },
  );
  expect([...words].length).toBe(200);
  expect(words).not.toContain('\n');
  expect([...undoTitleOf(words)].length).toBe(200);
});

test('an import has the name of its file, or the format', () => {
  expect(importTitleOf('mine.csv', 'bitly')).toBe('mine.csv');
  expect(importTitleOf(undefined, 'bitly')).toBe('Import of a bitly file');
  expect(importTitleOf(undefined, 'auto')).toBe('Import of a file');
});
