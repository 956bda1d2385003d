/** Settings of an INSERT … SELECT that stores all its rows in one block, however many there are. */
export const ONE_BLOCK = {
  max_insert_threads: '1',
  min_insert_block_size_rows: '100000000',
  min_insert_block_size_bytes: '0',
} as const;
