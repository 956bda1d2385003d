import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PageMeta } from './head-parser.ts';
import { PageMetaReader } from './page-meta.ts';

function read(page: string | Buffer, contentType = 'text/html; charset=utf-8', chunkBytes = 1e9): PageMeta {
  const reader = new PageMetaReader(contentType);
  const bytes = Buffer.from(page);
  for (let i = 0; i < bytes.length; i += chunkBytes) if (reader.write(bytes.subarray(i, i + chunkBytes))) break;
  return reader.result();
}

describe('"Open Graph, Twitter card, <title>, meta description"', () => {
  const og = '<meta property="og:title" content="OG"><meta property="og:description" content="OGD">';
  const twitter = '<meta name="twitter:title" content="TW"><meta name="twitter:description" content="TWD">';
  const plain = '<title>T</title><meta name="description" content="D">';
  const HEADS = [
    ['all three', plain + twitter + og, 'OG', 'OGD'],
    ['Twitter card and plain', plain + twitter, 'TW', 'TWD'],
    ['plain', plain, 'T', 'D'],
    ['none', '<meta name="keywords" content="x">', null, null],
    ['an empty one does not count', `<meta property="og:title" content=" &nbsp; ">${plain}`, 'T', 'D'],
    ['the first of a name wins', '<title>A</title><title>B</title>', 'A', null],
    [
      'name and property mixed up',
      '<meta name="OG:Title" content="A"><meta property="description" content="B">',
      'A',
      'B',
    ],
    [
      'what is in the body is content',
      '</head><body><title>B</title><meta property="og:title" content="B">',
      null,
      null,
    ],
    ['the title of a picture is not the page’s', '<svg><title>icon</title></svg><title>T</title>', 'T', null],
    ['a meta named title is not the element', '<meta name="title" content="M">', null, null],
  ] as const;
  test('the best of them is read', () => {
    for (const [name, head, title, description] of HEADS)
      expect.soft(read(`<!doctype html><html><head>${head}`), name).toEqual({ title, description });
  });
});

describe('text', () => {
  const TEXTS = [
    [
      'entities',
      '<title>Tom &amp; Jerry &lt;3 &eacute;&#x1F600;&#8364; &xyzzy;</title>',
      'Tom & Jerry <3 é\u{1f600}€ &xyzzy;',
    ],
    ['white space', '<title>\n  a \t b\u00a0\u2003c\r\n</title>', 'a b c'],
    ['control characters', '<title>a&#1;b\u0007c\u009fd</title>', 'abcd'],
    ['an unpaired surrogate', '<title>a&#xD800;b</title>', 'a\ufffdb'],
    ['markup in a title is text', '<title><b>bold</b></title>', '<b>bold</b>'],
    ['unquoted and single-quoted', "<meta property=og:title content='it is'>", 'it is'],
    ['upper case', '<HTML><HEAD><TITLE>T</TITLE>', 'T'],
    ['no html, no head', '<title>T</title>', 'T'],
    ['unclosed tags', '<html><head><meta charset=utf-8<title>x</title><title>T</title>', 'T'],
    [
      'a comment and a script with tags in them',
      '<!-- <title>c</title> --><script>"<title>s</title>"</script><title>T</title>',
      'T',
    ],
    ['a title that never ends', '<title>half of it', null],
    ['nothing', '', null],
    ['no HTML at all', '\0\u0001\u0002{"json": true}', null],
  ] as const;
  test('is read as a browser shows it', () => {
    for (const [name, page, title] of TEXTS) expect.soft(read(page).title, name).toBe(title);
  });

  test('has at most 200 and 1,000 code points and no unpaired surrogates', () => {
    const smile = '\u{1f600}';
    const meta = read(`<title>${smile.repeat(300)}</title><meta name="description" content="${smile.repeat(2_000)}">`);
    expect(meta).toEqual({ title: smile.repeat(200), description: smile.repeat(1_000) });
    expect(read(`<title>a${smile.repeat(300)}</title>`).title).toBe(`a${smile.repeat(199)}`);
    expect(read(`<title>${'a'.repeat(199)} b</title>`).title).toBe('a'.repeat(199));
  });
});

describe('"the page’s own charset"', () => {
  const privet = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
  const nihongo = Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea]);
  const page = (text: Buffer, head = '') =>
    Buffer.concat([Buffer.from(`<html><head>${head}<title>`), text, Buffer.from('</title></head>')]);
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  const html = '<html><head><title>Привет, 日本語</title></head>';

  const DECLARED: [string, Buffer, string, string][] = [
    ['windows-1251 in the header', page(privet), 'text/html; charset=windows-1251', 'Привет'],
    ['windows-1251, quoted', page(privet), 'text/html;charset="Windows-1251"', 'Привет'],
    ['windows-1251 in a meta', page(privet, '<meta charset="windows-1251">'), 'text/html', 'Привет'],
    [
      'windows-1251 in an old meta',
      page(privet, "<META http-equiv=Content-Type content='text/html; charset=cp1251'>"),
      'text/html',
      'Привет',
    ],
    ['shift_jis in the header', page(nihongo), 'text/html; charset=Shift_JIS', '日本語'],
    ['shift_jis in a meta', page(nihongo, '<meta charset=shift_jis>'), 'text/html', '日本語'],
    ['latin1 means windows-1252', page(Buffer.from([0x80, 0xe9])), 'text/html; charset=iso-8859-1', '€é'],
    ['euc-kr', page(Buffer.from([0xc7, 0xd1])), 'text/html; charset=euc-kr', '한'],
    ['gb18030', page(Buffer.from([0xc4, 0xe3])), 'text/html; charset=gb2312', '你'],
    ['UTF-8 unless told otherwise', page(Buffer.from('Привет')), 'text/html', 'Привет'],
    ['an encoding nobody knows', page(Buffer.from('Привет')), 'text/html; charset=klingon', 'Привет'],
    ['the header before the meta', page(privet, '<meta charset=utf-8>'), 'text/html; charset=windows-1251', 'Привет'],
    ['a meta in a comment', page(Buffer.from('é'), '<!-- <meta charset=windows-1251> -->'), 'text/html', 'é'],
    ['a meta that claims UTF-16', page(Buffer.from('é'), '<meta charset=utf-16le>'), 'text/html', 'é'],
    ['UTF-16LE with its mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16(html)]), 'text/html', 'Привет, 日本語'],
    [
      'UTF-16BE with its mark',
      Buffer.concat([Buffer.from([0xfe, 0xff]), utf16(html).swap16()]),
      'text/html',
      'Привет, 日本語',
    ],
    ['UTF-16LE in the header', utf16(html), 'text/html; charset=utf-16le', 'Привет, 日本語'],
    ['the mark before the header', Buffer.from(`\ufeff${html}`), 'text/html; charset=windows-1251', 'Привет, 日本語'],
  ];
  test('is used, wherever it is declared', () => {
    for (const [name, bytes, contentType, title] of DECLARED)
      for (const chunkBytes of [1e9, 7, 1]) expect.soft(read(bytes, contentType, chunkBytes).title, name).toBe(title);
  });
});

describe('"Texts are read as a browser would"', () => {
  const NAMES: Record<string, (text: string) => Buffer> = {
    'windows-1252': (text) => Buffer.from(text.replaceAll('€', '\u0080').replaceAll('–', '\u0096'), 'latin1'),
    'windows-1251': (text) =>
      Buffer.from(Array.from(text, (c) => (c < '\u0400' ? c.charCodeAt(0) : c.charCodeAt(0) - 0x350))),
    'utf-8': (text) => Buffer.from(text),
  };
  const encode = (encoding: string, page: string) => NAMES[encoding]!(page);
  const far = `<!--${'x'.repeat(1_500)}-->`;
  const page = (text: string, { before = '', after = '', start = '' } = {}) =>
    `${start}<html><head>${before}<title>${text}</title><meta name="description" content="${text}">${after}</head><body>`;
  const german = 'Grüße aus München – 5 €';
  const russian = 'Привет';

  const PAGES: [string, string, string, string][] = [
    ['undeclared Windows-1252', 'windows-1252', page(german), german],
    ['undeclared Windows-1252 beyond 1,024 bytes', 'windows-1252', page(german, { before: far }), german],
    ['undeclared UTF-8', 'utf-8', page(german), german],
    ['undeclared UTF-8 beyond 1,024 bytes', 'utf-8', page(russian, { before: far }), russian],
    ['a late meta', 'windows-1251', page(russian, { before: `${far}<meta charset=windows-1251>` }), russian],
    [
      'a late meta after the title',
      'windows-1251',
      page(russian, { before: far, after: '<meta charset="cp1251">' }),
      russian,
    ],
    ['a meta after the title', 'windows-1251', page(russian, { after: "<meta charset='windows-1251'>" }), russian],
    [
      'a late http-equiv',
      'windows-1251',
      page(russian, { before: `${far}<meta http-equiv=content-type content="text/html; charset=windows-1251">` }),
      russian,
    ],
    [
      'a late http-equiv after the title, content first',
      'windows-1251',
      page(russian, { after: `${far}<META CONTENT='text/html;charset=windows-1251' HTTP-EQUIV='Content-Type' />` }),
      russian,
    ],
    ['a late meta that claims UTF-16', 'utf-8', page(russian, { before: `${far}<meta charset=utf-16>` }), russian],
    ['a late meta that nobody knows', 'windows-1252', page(german, { before: `${far}<meta charset=klingon>` }), german],
    [
      'a late meta in a comment',
      'utf-8',
      page(russian, { before: `<!--${far.slice(4, -3)}<meta charset=cp1251>-->` }),
      russian,
    ],
    ['a late meta in the body', 'utf-8', `${page(russian, { before: far })}<meta charset=windows-1251>`, russian],
    [
      'an XML declaration',
      'windows-1251',
      page(russian, { start: '<?xml version="1.0" encoding="windows-1251"?>\n' }),
      russian,
    ],
    ['an XML declaration without an encoding', 'utf-8', page(russian, { start: '<?xml version="1.0"?>' }), russian],
  ];
  test('declared late, in XML or not at all', () => {
    for (const [name, encoding, source, text] of PAGES)
      for (const contentType of ['text/html', 'application/xhtml+xml'])
        for (const chunkBytes of [1e9, 700, 7])
          expect
            .soft(read(encode(encoding, source), contentType, chunkBytes), name)
            .toEqual({ title: text, description: text });
  });

  test('bytes after the head do not decide', () => {
    const bytes = Buffer.concat([encode('utf-8', page(russian, { before: far })), Buffer.from([0xff])]);
    for (const chunkBytes of [1e9, 7]) expect(read(bytes, 'text/html', chunkBytes).title).toBe(russian);
  });

  test('ISO-8859-2 in an XML declaration', () => {
    const bytes = Buffer.from(
      '<?xml version="1.0" encoding="iso-8859-2"?><title>Za\u00bf\u00f3\u00b3\u00e6</title>',
      'latin1',
    );
    expect(read(bytes, 'text/html').title).toBe('Zażółć');
  });

  test('Shift_JIS in a late meta, before and after the title', () => {
    const nihongo = Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea]);
    const title = Buffer.concat([Buffer.from('<title>'), nihongo, Buffer.from('</title>')]);
    const meta = Buffer.from('<meta charset=Shift_JIS>');
    for (const parts of [
      [Buffer.from(far), meta, title],
      [Buffer.from(far), title, meta],
      [title, Buffer.from(far), meta],
    ])
      expect(read(Buffer.concat(parts), 'text/html').title).toBe('日本語');
  });

  test('undeclared Windows-1251 has no U+FFFD', () => {
    expect(read(encode('windows-1251', page(russian)), 'text/html').title).not.toContain('\ufffd');
  });
});

describe('"a text that does not decode is null"', () => {
  const latin = (text: string) => Buffer.from(text, 'latin1');
  const UNDECODABLE: [string, Buffer, string, PageMeta][] = [
    [
      'the header says UTF-8',
      latin('<title>Gr\u00fc\u00dfe</title><meta name=description content=plain>'),
      'text/html; charset=utf-8',
      { title: null, description: 'plain' },
    ],
    [
      'a meta says UTF-8',
      latin('<meta charset=utf-8><title>plain</title><meta name=description content="Gr\u00fc\u00dfe">'),
      'text/html',
      { title: 'plain', description: null },
    ],
    [
      'a late meta says UTF-8',
      latin(`<!--${'x'.repeat(1_500)}--><title>Gr\u00fc\u00dfe</title><meta charset=utf-8>`),
      'text/html',
      { title: null, description: null },
    ],
    [
      'the best text does not decode',
      latin('<meta property=og:title content="Gr\u00fc\u00dfe"><title>Greetings</title>'),
      'text/html; charset=utf-8',
      { title: 'Greetings', description: null },
    ],
    [
      'bytes that are not Shift_JIS',
      latin('<title>\u0093\u00fa\u0096</title>'),
      'text/html; charset=shift_jis',
      { title: null, description: null },
    ],
    [
      'an encoding that is not safe',
      latin('<title>T</title>'),
      'text/html; charset=iso-2022-kr',
      { title: null, description: null },
    ],
  ];
  test('whoever says what it is', () => {
    for (const [name, bytes, contentType, meta] of UNDECODABLE)
      for (const chunkBytes of [1e9, 7]) expect.soft(read(bytes, contentType, chunkBytes), name).toEqual(meta);
  });

  test('but U+FFFD that the page really has is kept, and a page that is cut within a character is not damaged', () => {
    expect(read('<title>a\ufffdb &#xFFFD;</title>').title).toBe('a\ufffdb \ufffd');
    const cut = Buffer.from('<title>Grüße</title><meta name=keywords content="ü').subarray(0, -1);
    for (const contentType of ['text/html', 'text/html; charset=utf-8'])
      expect(read(cut, contentType).title).toBe('Grüße');
  });
});

describe('the work for a page is bounded', () => {
  test.each([
    ['elements in elements', '<b>'.repeat(180_000)],
    ['pictures in pictures', '<svg>'.repeat(100_000)],
    ['what may stand in a head', '<noscript>'.repeat(50_000)],
  ])('it stops at deeply nested elements: %s', (_name, page) => {
    const reader = new PageMetaReader('text/html');
    expect(reader.write(Buffer.from(page.slice(0, 1_100)))).toBe(true);
    expect(reader.write(Buffer.from(page))).toBe(true);
    expect(reader.result()).toEqual({ title: null, description: null });
  });

  test('it ends for a page in thousands of pieces', () => {
    const reader = new PageMetaReader('text/html');
    reader.write(Buffer.from('<'.padEnd(1_100, 'a')));
    let pieces = 0;
    while (pieces < 10_000 && !reader.write(Buffer.from('a'))) pieces += 1;
    expect(pieces).toBeLessThan(10_000);
  });

  test('misplaced content does not end the head', () => {
    const strays =
      '<noscript><img src=x><iframe></iframe></noscript><img><x-tag><o:p></o:p><div>a<span>b</span></div><p>c<form>d';
    expect(read(`<head>${strays}<title>T</title><meta name=description content=D>`)).toEqual({
      title: 'T',
      description: 'D',
    });
  });

  test('it keeps only the attributes and names that it looks for', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `a${n}=${n}`).join(' ');
    expect(read(`<meta ${many} name=description ${many} content=D content=E name=f>`).description).toBe('D');
  });
});

test('any bytes give the same result however they are split, and never throw', () => {
  const page = Buffer.from(
    `<html><head>${'<!-- x -->'.repeat(150)}<title>Привет</title><meta name=description content=ja></head>`,
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: page.length }), (chunkBytes) => {
      expect(read(page, 'text/html', chunkBytes)).toEqual({ title: 'Привет', description: 'ja' });
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3_000 }), fc.string(), (bytes, contentType) => {
      const { title } = read(Buffer.from(bytes), contentType, 100);
      expect(title === null || title.length > 0).toBe(true);
    }),
  );
  expect(read(gzipSync(page))).toEqual({ title: null, description: null });
});
