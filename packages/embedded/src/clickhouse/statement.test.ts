import { expect, test } from 'vitest';
import type { ClickHouseException } from './errors.ts';
import { parseStatement } from './statement.ts';

function parse(sql: string) {
  return parseStatement(Buffer.from(sql).toString('latin1'));
}

function codeOf(sql: string): number | undefined {
  try {
    parse(sql);
    return undefined;
  } catch (error) {
    return (error as ClickHouseException).code;
  }
}

test('an INSERT is parted into head, settings, format and the offset of its data', () => {
  const sql = 'INSERT INTO t (a, `b;é`) SETTINGS async_insert=1 FORMAT JSONEachRow\n{"a":1}';
  expect(parse(sql)).toEqual({
    kind: 'insert',
    head: 'INSERT INTO t (a, `b;é`) ',
    settings: 'SETTINGS async_insert=1 ',
    format: 'JSONEachRow',
    dataStart: Buffer.from(sql).indexOf('{"a"'),
  });
});

test.each([
  ['insert into values values (1)', 'insert into values ', 'Values'],
  ['INSERT INTO db.format FORMAT CSV', 'INSERT INTO db.format ', 'CSV'],
  ['INSERT INTO {d:Identifier}.{t:Identifier} VALUES (1)', 'INSERT INTO {d:Identifier}.{t:Identifier} ', 'Values'],
  ['INSERT INTO t', 'INSERT INTO t', undefined],
  ['/* x; */ INSERT INTO TABLE t (* EXCEPT(b)) FORMAT TSV', '/* x; */ INSERT INTO TABLE t (* EXCEPT(b)) ', 'TSV'],
])('the target of %s is no keyword', (sql, head, format) => {
  expect(parse(sql)).toMatchObject({ kind: 'insert', head, format });
});

test.each(['INSERT INTO t SELECT 1', 'INSERT INTO t (a) WITH 1 AS x SELECT x', 'INSERT INTO t (SELECT 1)'])(
  '%s brings its own rows',
  (sql) => expect(parse(sql)).toEqual({ kind: 'command', text: sql }),
);

test('the FORMAT clause of a result is taken out, SETTINGS behind it are kept', () => {
  expect(parse("SELECT ';' FORMAT JSON SETTINGS max_threads=1; -- end")).toEqual({
    kind: 'read',
    text: "SELECT ';' ",
    format: 'JSON',
    settings: ' SETTINGS max_threads=1',
  });
  expect(parse('SELECT format FROM t')).toMatchObject({ text: 'SELECT format FROM t', format: undefined });
  expect(parse('SELECT 1 AS format, x')).toMatchObject({ format: undefined });
  expect(parse('SELECT * FROM (SELECT 1 FORMAT JSON)')).toMatchObject({ format: undefined });
});

test.each([
  'SELECT 1; SELECT 2',
  "SELECT 1; DROP TABLE t; --'",
  'SELECT 1 -- ;\n; SELECT 2',
  "INSERT INTO t VALUES ('a;b'); DROP TABLE t",
  'INSERT INTO t SELECT 1; DROP TABLE t',
  'INSERT INTO t FORMAT TSV;1',
  '',
  ' -- nothing\n;',
])('%s is refused with code 62: one statement a request', (sql) => expect(codeOf(sql)).toBe(62));

test.each([
  "SELECT ';'",
  'SELECT `;`, ";"',
  "SELECT '\\';', ''';'",
  'SELECT 1 /* ; */;',
  'SELECT $x$ ; $y$ ; $x$',
  "INSERT INTO t VALUES ('a;b');",
])('a semicolon inside a token ends nothing: %s', (sql) => expect(codeOf(sql)).toBeUndefined());

test('files of the server are not opened for clients', () => {
  expect(codeOf("SELECT 1 INTO OUTFILE '/tmp/x'")).toBe(358);
  expect(codeOf("INSERT INTO t FROM INFILE '/tmp/x' FORMAT CSV")).toBe(78);
});
