import { expect, test } from 'vitest';
import { readFileColumns } from './file-columns.ts';

const columns = async (...parts: BlobPart[]) =>
  (await readFileColumns(new File(parts, 'links'))).map(({ name, sample }) => [name, sample]);

const utf16 = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));

test('the columns of a file have their names as the file has them, with the first value', async () => {
  const expected = [
    ['Ziel', 'https://example.com/'],
    ['Größe', '5'],
  ];
  expect(await columns('Ziel,Größe\nhttps://example.com/,5\n')).toEqual(expected);
  expect(await columns('\ufeffZiel;Größe\r\n;\r\nhttps://example.com/;5')).toEqual(expected);
  expect(await columns('sep=;\r\nZiel;"Größe"\r\n"https://example.com/";5')).toEqual(expected);
  expect(await columns(utf16('Ziel\tGröße\r\nhttps://example.com/\t5'))).toEqual(expected);
  expect(await columns(new Uint8Array(Buffer.from('Ziel,Größe\nhttps://example.com/,5', 'latin1')))).toEqual(expected);
  expect(await columns('[{"Ziel":"https://example.com/","Größe":5},{"Zie')).toEqual(expected);
  expect(await columns('{"Ziel":"https://example.com/","Größe":null}\n{"Größe":5}')).toEqual(expected);
});

test('two columns of one name are one choice, and one without a name is none', async () => {
  expect(await columns('title,,title\na,b,c')).toEqual([['title', 'a']]);
});

test('what is no text has no columns', async () => {
  expect(await columns(new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 200, 0]))).toEqual([]);
  expect(await columns('')).toEqual([]);
});
