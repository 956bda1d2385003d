import { expect, test } from 'vitest';
import { encode } from '../../test/support/encode.ts';
import { linksOf, open, rowsOf } from '../../test/support/read.ts';
import { looksWestern } from './western-text.ts';

// Files that are neither UTF-8 nor UTF-16: the charset of the media type, and what is taken for Windows-1252.

const URL = 'https://example.com/';
const csv = (title: string) => `slug,url,title\na,${URL},${title}\n`;
const linkOf = (title: string) => ({ slug: 'a', destination_url: URL, title });
const NOT_WESTERN =
  'The file is neither UTF-8 nor UTF-16, and its text does not look like Windows-1252; save it as UTF-8, or send its charset';

/** For each encoding: names that clients send, and texts that people have in it. */
const ENCODINGS: Record<string, { names: string[]; titles: string[] }> = {
  shift_jis: {
    names: ['Shift_JIS', 'cp932', 'MS932', 'windows-31j', 'x-sjis'],
    titles: ['点検連番', '夏のセール', 'ガイド', 'お知らせ'],
  },
  gbk: { names: ['GBK', 'gb2312', 'cp936'], titles: ['夏季促销', '新产品', '你好世界'] },
  big5: { names: ['Big5', 'cp950'], titles: ['夏季促銷', '新產品', '活動'] },
  'euc-kr': { names: ['EUC-KR', 'cp949', 'windows-949'], titles: ['여름 세일', '신제품'] },
  'euc-jp': { names: ['euc-jp'], titles: ['点検連番', 'セール'] },
  'windows-1250': {
    names: ['windows-1250', 'cp1250'],
    titles: ['Zażółć gęślą jaźń', 'Łódź', 'był', 'Příliš žluťoučký', 'český', 'Újdonságok nőknek'],
  },
  'windows-1251': { names: ['windows-1251', 'CP1251', '"windows-1251"'], titles: ['Летняя распродажа', 'Україна'] },
  'windows-1253': { names: ['windows-1253'], titles: ['Καλοκαίρι', 'Νέα'] },
  'windows-1254': { names: ['windows-1254', 'iso-8859-9'], titles: ['Şişli çağrı', 'güneşli', 'İstanbul'] },
  'windows-1255': { names: ['windows-1255'], titles: ['מבצע'] },
  'windows-1256': { names: ['windows-1256'], titles: ['عرض'] },
  'windows-1257': { names: ['windows-1257'], titles: ['Žąsys', 'Šeši ūsai'] },
  'windows-874': { names: ['windows-874', 'tis-620'], titles: ['สวัสดี'] },
  'koi8-r': { names: ['KOI8-R'], titles: ['Новости'] },
  ibm866: { names: ['ibm866', 'cp866'], titles: ['Новости'] },
  'iso-8859-2': { names: ['iso-8859-2', 'latin2'], titles: ['Łódź', 'są'] },
  macintosh: {
    names: ['macintosh', 'x-mac-roman', 'MacRoman'],
    titles: ['Größe', 'Müller', 'café', 'Männer', 'Über uns'],
  },
};
const TITLES = Object.entries(ENCODINGS).flatMap(([encoding, { titles }]) =>
  titles.map((title): [string, string] => [encoding, title]),
);

test.each(TITLES)('in %s, %s is read with its charset, and refused without', async (encoding, title) => {
  const bytes = encode(csv(title), encoding);
  for (const name of ENCODINGS[encoding]!.names) {
    const file = await open(bytes, { contentType: `text/csv; charset=${name}` }, { chunkSize: 3 });
    for await (const row of file.rows) expect(row).toEqual({ row: 2, link: linkOf(title) });
    expect(file.encoding).toBe(encoding);
  }
  await expect(rowsOf(bytes, { contentType: 'text/csv' })).rejects.toThrow(/save it as UTF-8, or send its charset/);
});

test('bytes of CP932 are what Excel in Japan means by them', async () => {
  const bytes = Buffer.concat([
    Buffer.from(`slug,url,title\na,${URL},`),
    Buffer.from('935f8c9f984194d48740', 'hex'),
    Buffer.from('\n'),
  ]);
  expect(await linksOf(bytes, { contentType: 'text/csv; charset=Shift_JIS' })).toEqual([linkOf('点検連番①')]);
  await expect(rowsOf(bytes)).rejects.toThrow(NOT_WESTERN);
});

test.each([
  ['CP850', '477294e165'],
  ['CP437', '4d816c6c6572'],
  ['CP437', '636166822c'],
])('text of DOS (%s) is refused', async (_, hex) => {
  const bytes = Buffer.concat([Buffer.from(`slug,url,title\na,${URL},`), Buffer.from(hex, 'hex'), Buffer.from('\n')]);
  await expect(rowsOf(bytes)).rejects.toThrow(NOT_WESTERN);
});

test('JSON is read with its charset, too', async () => {
  const row = JSON.stringify({ slug: 'a', url: URL, title: '点検' });
  for (const [contentType, text] of [
    ['application/json; charset=shift_jis', `[${row}]`],
    ['application/x-ndjson;charset="cp932"', row],
    ['application/octet-stream; charset=cp932', row],
  ] as const)
    expect(await linksOf(encode(text, 'shift_jis'), { contentType })).toEqual([linkOf('点検')]);
});

test.each(['klingon', 'utf-7', 'utf-32', 'cp437', 'iso-2022-kr', 'constructor'])(
  'the charset %s is refused before any row, with the names of others',
  async (charset) => {
    await expect(open(csv('T'), { contentType: `text/csv; charset=${charset}` })).rejects.toThrow(
      `The charset "${charset}" is not known; send one such as utf-8, windows-1251, shift_jis`,
    );
  },
);

test('a byte order mark wins over the charset, and the charset over a guess', async () => {
  const marked = Buffer.from(`\ufeff${csv('ü')}`, 'utf16le');
  for (const [bytes, encoding] of [
    [marked, 'utf-16le'],
    [Buffer.from(marked).swap16(), 'utf-16be'],
    [Buffer.from(`\ufeff${csv('ü')}`), 'utf-8'],
  ] as const) {
    const file = await open(bytes, { contentType: 'text/csv; charset=shift_jis' });
    for await (const row of file.rows) expect(row).toMatchObject({ link: { title: 'ü' } });
    expect(file.encoding).toBe(encoding);
  }
  for (const charset of ['utf-16', 'utf-16le', 'UTF-16LE'])
    expect(await linksOf(Buffer.from(csv('ü'), 'utf16le'), { contentType: `text/csv; charset=${charset}` })).toEqual([
      linkOf('ü'),
    ]);
  expect(await linksOf(Buffer.from(csv('Ã¼'), 'latin1'), { contentType: 'text/csv; charset=latin1' })).toEqual([
    linkOf('Ã¼'),
  ]);
  await expect(
    linksOf(Buffer.from(csv('Grüße'), 'latin1'), { contentType: 'text/csv; charset=utf-8' }),
  ).rejects.toThrow('The file is not valid UTF-8');
});

test.each([
  ['shift_jis', [0x93]],
  ['gbk', [0xff]],
  ['euc-kr', [0xc7, 0x41, 0x30]],
  ['big5', [0x80]],
])('bytes that are nothing in %s are an error', async (charset, bytes) => {
  const content = Buffer.concat([Buffer.from(`slug,url,title\na,${URL},`), Buffer.from(bytes)]);
  await expect(rowsOf(content, { contentType: `text/csv; charset=${charset}` })).rejects.toThrow(
    `The file is not valid ${charset.toUpperCase()}; save it as UTF-8`,
  );
});

const WESTERN = [
  'Grüße – „Ä“ 5 €',
  'GRÖSSE, STRASSE & ÖL',
  'Müßte Äpfel ‚einfach‘ räumen … jetzt',
  'Citroën, Curaçao, naïve, Noël',
  'L’œuvre d’une sœur, où ça ? Été créée à l’aïeul',
  '«Bonjour» – N°5 à 20°C',
  '¿Qué tal, señor? ¡Hola, pingüino! Nº 5, 1ª',
  'informações, põem, São João, ação',
  'città, perché, più, così è',
  'Rødgrød med fløde, blåbærøl, Åse',
  'Hyvää yötä, sää, räksmörgås',
  'col·legi català, història',
  'Škoda Fabia, 10 m³, 5 m², ½ Preis',
  '© 2024 Acme® und Foo™, £50, it’s “fine”—now',
  'Düsseldorf–Köln, 1990–2000',
  'äöüß ÄÖÜ, Pokémon, résumé, Motörhead, Núñez, Thaïlande, Œuvres complètes, »Zoë« 100°F',
];

test.each(WESTERN)('%s is read as Windows-1252 without a charset, in chunks of any size', async (title) => {
  const bytes = encode(csv(`"${title}"`), 'windows-1252');
  for (const chunkSize of [1, 2, 7, 1024]) {
    const file = await open(bytes, {}, { chunkSize });
    for await (const row of file.rows) expect(row).toEqual({ row: 2, link: linkOf(title) });
    expect(file.encoding).toBe('windows-1252');
  }
});

test('one word that is not Western refuses the file, also after many rows', async () => {
  const western = Array.from({ length: 20_000 }, (_, n) => `s${n},${URL},Grüße\n`).join('');
  const rows: unknown[] = [];
  const reading = async () => {
    const content = encode(`slug,url,title\n${western}`, 'windows-1252');
    const file = await open(Buffer.concat([content, encode(`z,${URL},Привет\n`, 'windows-1251')]));
    for await (const row of file.rows) rows.push(row);
  };
  await expect(reading()).rejects.toThrow(NOT_WESTERN);
  expect(rows.length).toBeGreaterThan(19_000);
});

test('a long text without spaces takes no longer than its length', () => {
  for (const text of ['ä'.repeat(1e6), 'aä'.repeat(1e6), 'œu'.repeat(1e6), `${'a'.repeat(2e6)}è1`, '¿a'.repeat(1e6)])
    expect(typeof looksWestern(text)).toBe('boolean');
});
