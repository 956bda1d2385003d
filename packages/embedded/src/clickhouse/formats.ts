const CONTENT_TYPES: ReadonlyArray<[RegExp, string]> = [
  [/^JSON(Strings)?(EachRow|CompactEachRow)/i, 'application/x-ndjson; charset=UTF-8'],
  [/^JSONCompact(Strings)?EachRow/i, 'application/x-ndjson; charset=UTF-8'],
  [/^JSON/i, 'application/json; charset=UTF-8'],
  [/^(TabSeparated|TSV)/i, 'text/tab-separated-values; charset=UTF-8'],
  [/^CSV/i, 'text/csv; charset=UTF-8; header=absent'],
  [/^(Native|RowBinary|Parquet|Arrow|ORC|Avro|MsgPack|Protobuf|BSONEachRow)/i, 'application/octet-stream'],
  [/^XML$/i, 'application/xml; charset=UTF-8'],
];

/** Returns the Content-Type of a ClickHouse output format; plain text for formats without a type of their own. */
export function contentTypeOf(format: string): string {
  if (/^CSVWithNames/i.test(format)) return 'text/csv; charset=UTF-8; header=present';
  return CONTENT_TYPES.find(([pattern]) => pattern.test(format))?.[1] ?? 'text/plain; charset=UTF-8';
}
