import { inClientSpan } from '@waymark/proto';
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Database } from './database.ts';

/** Returns the database with metrics of its statements (rate, errors, duration) and a trace span for each. */
export function observeDatabase(database: Database, registry: Registry): Database {
  const durations = new Histogram({
    name: 'clickhouse_statement_duration_seconds',
    help: 'Duration of statements sent to ClickHouse, by kind (query, command, insert) and outcome (ok, failed).',
    labelNames: ['kind', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const running = new Gauge({
    name: 'clickhouse_statements_running',
    help: 'Statements that ClickHouse has not answered yet.',
    registers: [registry],
  });
  async function observe<Result>(kind: string, statement: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    let outcome = 'failed';
    running.inc();
    try {
      const result = await inClientSpan(`clickhouse ${kind}`, { 'db.system.name': 'clickhouse' }, statement);
      outcome = 'ok';
      return result;
    } finally {
      running.dec();
      durations.labels(kind, outcome).observe((performance.now() - startedAt) / 1000);
    }
  }
  return {
    name: database.name,
    query: (sql, options) => observe('query', () => database.query(sql, options)),
    command: (sql, options) => observe('command', () => database.command(sql, options)),
    insert: (table, block, options) => observe('insert', () => database.insert(table, block, options)),
    close: () => database.close(),
  };
}
