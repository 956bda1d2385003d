const MAX_QUERY_BYTES = 64 * 1024 * 1024;

/** Settings of every statement in the configured database. */
export const CONNECTION_SETTINGS = {
  output_format_json_quote_64bit_integers: 0,
  // A query that nobody waits for any more must not delay others.
  cancel_http_readonly_queries_on_client_close: 1,
  // A statement that must read every replica fails if one is down.
  skip_unavailable_shards: 0,
  // The list of hidden links is part of the text of a query.
  max_query_size: String(MAX_QUERY_BYTES),
  // A statement that exceeds a limit of a profile fails, instead of returning a part of the result.
  timeout_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  group_by_overflow_mode: 'throw',
  sort_overflow_mode: 'throw',
  result_overflow_mode: 'throw',
  set_overflow_mode: 'throw',
  distinct_overflow_mode: 'throw',
} as const;

/**
 * Settings that never split a batch or drop a part of it: it is one block and one part. They are ClickHouse's defaults,
 * sent because a profile may have others.
 */
const ONE_BLOCK = {
  async_insert: 0,
  input_format_parallel_parsing: 0,
  max_insert_threads: '1',
  max_insert_block_size: '1048449',
  materialized_views_ignore_errors: 0,
  input_format_allow_errors_num: '0',
  input_format_allow_errors_ratio: 0,
} as const;

/**
 * Settings of an insert into one server. ClickHouse's own deduplication is off: a server that was killed may remember a
 * block that it lost, and would not store it again.
 */
export const INSERT_SETTINGS = { ...ONE_BLOCK, insert_deduplicate: 0 } as const;

/**
 * Settings of an insert into replicas or shards. Keeper stores the token of the batch in the transaction that adds its
 * part, so the same batch is never added twice. With shards, the insert ends when every shard has its clicks.
 */
export const REPLICATED_INSERT_SETTINGS = {
  ...ONE_BLOCK,
  insert_deduplicate: 1,
  distributed_foreground_insert: 1,
} as const;

/**
 * Settings of the statement for figures. The first needs ClickHouse 25.6. With the second, a scan tests all conditions at
 * once: one after another, most of its time goes into joining the results. With the last, ClickHouse does not search
 * projections for parts of the table to skip, which takes as long as reading a day.
 */
export const FIGURES_SETTINGS = {
  enable_shared_storage_snapshot_in_query: 1,
  enable_multiple_prewhere_read_steps: 0,
  optimize_use_projection_filtering: 0,
} as const;

const MAX_PAIRS_BYTES = 2 * 1024 ** 3;

/**
 * Settings of the statement for figures if it counts pairs of names. Visitors choose sources, so there may be as many
 * pairs as clicks.
 */
export const PAIRS_SETTINGS = { ...FIGURES_SETTINGS, max_memory_usage: String(MAX_PAIRS_BYTES) } as const;

/** All settings that Waymark sends. */
export const SENT_SETTINGS = {
  ...CONNECTION_SETTINGS,
  ...PAIRS_SETTINGS,
  ...REPLICATED_INSERT_SETTINGS,
  ...INSERT_SETTINGS,
};
