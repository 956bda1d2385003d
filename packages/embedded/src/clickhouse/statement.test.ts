import { expect, test } from 'vitest';
import type { ClickHouseException } from './errors.ts';
import { parseStatement } from './statement.ts';

const NAMES = {
  tableFunctions: new Set(['file', 'numbers', 'format', 'values']),
  engines: new Set(['FileLog', 'MergeTree', 'Memory']),
};

function parse(sql: string) {
  return parseStatement(Buffer.from(sql).toString('latin1'), NAMES);
}

function codeOf(sql: string): number | undefined {
  try {
    parse(sql);
    return undefined;
  } catch (error) {
    return (error as ClickHouseException).code;
  }
}

test('an INSERT is split into head, settings, format and the offset of its data', () => {
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
])('the target of %s is not a keyword', (sql, head, format) => {
  expect(parse(sql)).toMatchObject({ kind: 'insert', head, format });
});

test.each(['INSERT INTO t SELECT 1', 'INSERT INTO t (a) WITH 1 AS x SELECT x', 'INSERT INTO t (SELECT 1)'])(
  '%s has its own rows',
  (sql) => expect(parse(sql)).toEqual({ kind: 'command', text: sql }),
);

test('the FORMAT clause of a result is removed, and SETTINGS after it are kept', () => {
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
  "INSERT INTO t VALUES ('a;b');",
])('a semicolon inside a token does not end a statement: %s', (sql) => expect(codeOf(sql)).toBeUndefined());

test.each([
  ['a comment inside a comment', "SELECT 1 /* /* */ ' */; DROP TABLE t --'"],
  ['a comment with //', "SELECT 1 // '\n; DROP TABLE t --'"],
  ['quotes of another script', 'SELECT ‘"’; DROP TABLE t --"'],
  ['a text in dollars', 'SELECT $a;b$ ; DROP TABLE t -- $a;b$'],
  ['an exponent that ends in a comment', "SELECT 1e--1 '\n; DROP TABLE t --'"],
  ['another dash', "SELECT 1 −− '\n; DROP TABLE t --'"],
  ['a backslash', 'SELECT 1\\G DROP TABLE t'],
  ['quotes that are not closed', "SELECT 'abc"],
  ['a name in quotes that are not closed', 'SELECT `abc'],
  ['a comment that is not closed', 'SELECT 1 /* abc'],
  ['a zero byte', 'SELECT 1\0; DROP TABLE t'],
])('%s, which the engine may tokenize differently, is refused with code 62: %s', (_what, sql) =>
  expect(codeOf(sql)).toBe(62),
);

test.each([
  "SELECT file('/etc/passwd')",
  "SELECT * FROM File /* */ ('/etc/passwd')",
  "SELECT * FROM `file`('/etc/passwd', CSV)",
  "SELECT * FROM format(Values, 'a String', '(1)')",
  "INSERT INTO FUNCTION file('/tmp/x', CSV, 'a String') VALUES (1)",
  "INSERT INTO t VALUES (file('/etc/passwd'));",
  "INSERT INTO t SELECT file('/etc/passwd')",
  "CREATE TABLE t (a String DEFAULT file('/etc/passwd')) ENGINE = Memory",
  "ATTACH TABLE t FROM '/home' (a UInt8) ENGINE = MergeTree ORDER BY a",
  "CREATE TABLE t (a UInt8) ENGINE = Memory PARALLEL WITH attach TABLE u FROM '/home' (a UInt8) ENGINE = Memory",
  "SELECT * APPLY file FROM (SELECT '/etc/passwd')",
  'SELECT * FROM "fi\\x6ce"(1)',
  "CREATE TABLE t (a String) ENGINE = FileLog('/tmp', TSV)",
  "CREATE TABLE t (a String) Engine `FileLog`('/tmp', TSV)",
])('%s is refused with code 497 because it would access files', (sql) => expect(codeOf(sql)).toBe(497));

test.each([
  'SELECT * FROM numbers(3)',
  'SELECT file, formatDateTime(now()) AS format FROM t',
  'SELECT `file` FROM `values`',
  'SELECT engine FROM system.tables',
])('%s is allowed because it accesses no files', (sql) => expect(codeOf(sql)).toBeUndefined());

test('clients cannot open files of the server', () => {
  expect(codeOf("SELECT 1 INTO OUTFILE '/tmp/x'")).toBe(358);
  expect(codeOf("INSERT INTO t FROM INFILE '/tmp/x' FORMAT CSV")).toBe(78);
});
