import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { ClickHouseEngine, EngineNames, RunOptions, StatementResult } from './engine.ts';
import { ClickHouseException, describeError } from './errors.ts';
import { type QueryRequest, readAll } from './request.ts';
import type { Spool } from './spool.ts';
import { type InsertStatement, parseStatement, type ReadStatement } from './statement.ts';

/** The result of a query, as it is sent to the client. */
export interface QueryResponse {
  /** Null for an empty body. */
  body: Readable | Uint8Array | null;
  format: string;
  result: StatementResult;
}

/** The largest query in a body, including inline rows; rows sent with the query in the URL have no limit. */
const MAX_QUERY_BODY_BYTES = 64 * 1024 ** 2;

/**
 * Runs one request in its own session, so that its settings and parameters affect no other request.
 *
 * Rows pass through files in both directions, by the engine's own `FROM INFILE` and `INTO OUTFILE`. chDB's alternatives
 * do not work: rows inside the text of an INSERT end at the first empty line, and what follows would run as SQL; result
 * streams exist only for SELECT, evaluate scalar subqueries on the event loop, and repeat a format's header or the
 * whole document with every block.
 *
 * @throws the engine's error, without this server's additions to the statement in its text.
 */
export async function runQuery(
  engine: ClickHouseEngine,
  spool: Spool,
  request: QueryRequest,
  signal: AbortSignal,
): Promise<QueryResponse> {
  const inUrl = parseInsertInUrl(request.query, engine.names);
  if (inUrl) {
    const inline = Buffer.from(request.query).subarray(inUrl.dataStart);
    return runInsert(engine, spool, request, inUrl, await takeBody(spool.store(inline, request.body)), signal);
  }
  const body = await takeBody(readAll(request.body, MAX_QUERY_BODY_BYTES));
  const text = Buffer.concat([
    Buffer.from(request.query && body.length > 0 ? `${request.query}\n` : request.query),
    body,
  ]);
  const statement = parseStatement(text.toString('latin1'), engine.names);
  if (statement.kind === 'insert') {
    const data = text.subarray(statement.dataStart);
    return runInsert(engine, spool, request, statement, await spool.store(data, Readable.from([])), signal);
  }
  if (statement.kind === 'read') return runRead(engine, spool, request, statement, signal);
  const format = request.defaultFormat ?? 'TabSeparated';
  const result = await run(engine, request, { sql: statement.text, insert: false, format, signal }, []);
  return { body: result.bytes.length > 0 ? result.bytes : null, format, result };
}

/**
 * Waits for a body to be read.
 * @throws ClickHouseException 33 if the body breaks off.
 */
async function takeBody<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    if (cause instanceof ClickHouseException) throw cause;
    throw new ClickHouseException(33, 'CANNOT_READ_ALL_DATA', `Cannot read the request's body: ${String(cause)}`);
  }
}

function parseInsertInUrl(query: string, names: EngineNames): InsertStatement | null {
  if (query.trim() === '') return null;
  // A query may continue in the body, so only an INSERT can be parsed here.
  if (!/^[\s(]*(?:\/\*|--|#|INSERT\b)/i.test(query)) return null;
  const statement = parseStatement(Buffer.from(query).toString('latin1'), names);
  return statement.kind === 'insert' ? statement : null;
}

async function runInsert(
  engine: ClickHouseEngine,
  spool: Spool,
  request: QueryRequest,
  statement: InsertStatement,
  path: string,
  signal: AbortSignal,
): Promise<QueryResponse> {
  const format = statement.format ?? request.defaultFormat ?? 'Values';
  try {
    const source = `FROM INFILE ${literal(path)}`;
    const sql = `${statement.head}\n${source} ${statement.settings} FORMAT ${format}`;
    const result = await run(engine, request, { sql, insert: true, format, signal }, [
      [`(in file/uri ${path}): `, ''],
      ['While executing File: data for INSERT was parsed from file', 'data for INSERT was parsed from query'],
      [source, ''],
    ]);
    return { body: null, format, result };
  } finally {
    spool.remove(path);
  }
}

async function runRead(
  engine: ClickHouseEngine,
  spool: Spool,
  request: QueryRequest,
  statement: ReadStatement,
  signal: AbortSignal,
): Promise<QueryResponse> {
  const format = statement.format ?? request.defaultFormat ?? 'TabSeparated';
  const path = spool.newPath();
  const target = `\nINTO OUTFILE ${literal(path)} FORMAT ${format}`;
  const sql = `${statement.text}${target}${statement.settings}`;
  const isCancelled = ['1', 'true'].includes(
    request.settings.get('cancel_http_readonly_queries_on_client_close') ?? '',
  );
  try {
    // Only this statement has the name of its result.
    const options = { sql, insert: false, format, signal, ...(isCancelled && { mark: basename(path) }) };
    const result = await run(engine, request, options, [[target, '']]);
    return { body: spool.take(path), format, result };
  } catch (error) {
    spool.remove(path);
    throw error;
  }
}

async function run(
  engine: ClickHouseEngine,
  request: QueryRequest,
  { sql, ...options }: { sql: string } & RunOptions,
  /** Text that this server added to the statement, and its replacement in error messages. */
  additions: ReadonlyArray<readonly [string, string]>,
): Promise<StatementResult> {
  try {
    return await engine.run(`${prelude(request)}${sql}`, options);
  } catch (error) {
    const { text } = describeError(error);
    throw new Error(
      additions.reduce((message, [added, instead]) => message.replaceAll(added, instead), text),
      { cause: error },
    );
  }
}

/** Returns the statements that set the request's database, settings and parameters in the session. */
function prelude(request: QueryRequest): string {
  const statements: string[] = [];
  if (request.database !== undefined && request.database !== 'default') {
    statements.push(`USE ${identifier(request.database)}`);
  }
  const assignments = [
    ...[...request.params].map(([name, value]) => `param_${name} = ${literal(value)}`),
    ...[...request.settings].map(([name, value]) => `${name} = ${literal(value)}`),
  ];
  if (assignments.length > 0) statements.push(`SET ${assignments.join(', ')}`);
  return statements.map((statement) => `${statement}; `).join('');
}

/** Escapes backslashes, quotes and control characters, so that no value can end the literal. */
function literal(value: string): string {
  return `'${escaped(value, "'")}'`;
}

function identifier(name: string): string {
  return `\`${escaped(name, '`')}\``;
}

function escaped(value: string, quote: string): string {
  let text = '';
  for (const char of value) {
    if (char === '\\' || char === quote) text += `\\${char}`;
    else if (char < ' ') text += `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
    else text += char;
  }
  return text;
}
