/** The table functions that a statement may call; `statement.ts` refuses all others that the engine has. */
export const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(['numbers']);

/** The engines that tables and databases may have; `statement.ts` refuses all others. */
export const ENGINES: ReadonlySet<string> = new Set([
  'AggregatingMergeTree',
  'Atomic',
  'Memory',
  'MergeTree',
  'Null',
  'ReplacingMergeTree',
  'SummingMergeTree',
]);

const PRIVILEGES = [
  'SHOW',
  'SELECT',
  'INSERT',
  'ALTER TABLE',
  'ALTER VIEW',
  'CREATE DATABASE',
  'CREATE TABLE',
  'CREATE VIEW',
  'DROP DATABASE',
  'DROP TABLE',
  'DROP VIEW',
  'TRUNCATE',
  'OPTIMIZE',
  'KILL QUERY',
  'SYSTEM MERGES',
];

/** Settings that would let a statement reach files or servers, or evaluate a text as an expression. */
const FIXED_SETTINGS = [
  'additional_result_filter',
  'additional_table_filters',
  'dialect',
  'format_avro_schema_registry_url',
  'format_schema',
  'format_template_resultset',
  'format_template_row',
  'input_format_values_deduce_templates_of_expressions',
  'input_format_values_interpret_expressions',
  'merge_tree_disk',
  'merge_tree_storage_policy',
  'merge_tree_table_disk',
  'parallel_replicas_custom_key',
];

/**
 * The privileges of the engine's only user: an allow-list of ClickHouse's own grants. The engine refuses everything
 * else (497): files, URLs, other databases and servers, dictionaries, functions, backups, users, commands.
 */
export const ENGINE_CONFIG = `<clickhouse>
  <profiles>
    <default>
      <input_format_values_deduce_templates_of_expressions>0</input_format_values_deduce_templates_of_expressions>
      <input_format_values_interpret_expressions>0</input_format_values_interpret_expressions>
      <constraints>
        ${FIXED_SETTINGS.map((name) => `<${name}><readonly/></${name}>`).join('\n        ')}
      </constraints>
    </default>
  </profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password/>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>
        <query>GRANT ${PRIVILEGES.join(', ')} ON *.*</query>
      </grants>
    </default>
  </users>
</clickhouse>
`;
