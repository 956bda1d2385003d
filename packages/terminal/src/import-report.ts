/** A row that an import refused. */
export interface Refusal {
  row: number;
  reason: string;
}

/** Returns a refusal in words. The reason must be one line. */
export function refusalText({ row, reason }: Refusal): string {
  return `line ${row}: ${reason}`;
}

interface Notes {
  /** The encoding that the file was read with, if it is not UTF-8. */
  encoding?: string | undefined;
  unused_columns?: readonly string[] | undefined;
  notice?: string | undefined;
}

/** Returns what the server found out about the file, which columns it did not use, and what to know about the job. */
export function importNotes({ encoding = 'utf-8', unused_columns: unused = [], notice }: Notes): string[] {
  return [
    ...(encoding === 'utf-8' ? [] : [`The file is not UTF-8; it was read as ${encoding}.`]),
    ...(unused.length === 0 ? [] : [`Columns that were not imported: ${unused.join(', ')}.`]),
    ...(notice === undefined ? [] : [notice]),
  ];
}

interface Counts {
  matched: number;
  created: number;
  unchanged: number;
  refused: number;
}

/** Returns what an import did. */
export function importSummary({ matched, created, unchanged, refused }: Counts): string {
  return `Read ${matched} links: ${created} created, ${unchanged} already there, ${refused} refused.`;
}

/** Returns what to say if nobody waits for the end of an import any more. */
export function interruptedImport(why: string, id: string): string {
  return `${why} The import goes on as job ${id}; run the command again later to see which rows it refuses.`;
}
