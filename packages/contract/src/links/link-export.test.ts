import fc from 'fast-check';
import { expect, test } from 'vitest';
import { restoreCell } from '../csv.ts';
import { linkExample } from '../openapi/examples.ts';
import { exportHeader, exportLines } from './link-export.ts';

const LINK = linkExample('https://go.example');

test('a CSV export has a header row, every field, RFC 4180 quotes and line ends', () => {
  const link = { ...LINK, title: 'a "b", c\nd', description: null };
  const text = exportHeader('csv') + exportLines('csv', [link]);
  expect(text.startsWith(`${Object.keys(link).join(',')}\r\n`)).toBe(true);
  expect(text).toContain(',"a ""b"", c\nd",,');
  expect(text.endsWith('\r\n')).toBe(true);
  expect(exportLines('csv', [])).toBe('');
});

test.each(['a\nb', 'a\rb', 'a\r\nb'])('a cell with the line break in %j is in quotes', (title) => {
  expect(exportLines('csv', [{ ...LINK, title }])).toContain(`,"${title}",`);
});

test.each(['=1+1', '+1', '-1', '@a', '\t=1', '\r=1', '\n=1', '＝1', "'=1"])(
  'the formula %j is defused, and restored when it is read',
  (title) => {
    const [, cell] = /(?:^|,)"?('[^",]+)"?/.exec(exportLines('csv', [{ ...LINK, title }]))!;
    expect(cell).toBe(`'${title}`);
    expect(restoreCell(cell!)).toBe(title);
  },
);

test('an ndjson export has one link on each line', () => {
  const lines = exportLines('ndjson', [LINK, { ...LINK, title: 'a\nb' }]).split('\n');
  expect([exportHeader('ndjson'), lines.length, lines[2]]).toEqual(['', 3, '']);
  expect(JSON.parse(lines[1]!)).toEqual({ ...LINK, title: 'a\nb' });
});

test('a cell that was not defused is read as it is', () => {
  fc.assert(fc.property(fc.stringMatching(/^[^'=+\-@\t\r\n]/), (text) => restoreCell(text) === text));
  expect(restoreCell("'quoted'")).toBe("'quoted'");
});
