import { parseArgs } from 'node:util';

/** The groups of works, in the order in which they run. Those that add clicks come last. */
export const PARTS = ['links', 'lists', 'keys', 'redirects', 'rules', 'mcp', 'analytics', 'ingestion'] as const;
export type Part = (typeof PARTS)[number];
/** Lists are many, and compare us only with ourselves, as keys do. */
const ONLY_IF_NAMED: readonly Part[] = ['lists', 'keys'];

/** The limits apply to this many links. */
const LINKS = '100000';

/** What is measured. */
export interface Options {
  /** `lists` and `keys` are measured only if they are named. */
  parts: readonly Part[];
  links: number;
  /** The folder of another checkout, whose build is measured in place of the floors. */
  against: string | undefined;
  /** Where the services write CPU profiles when they exit. Profiling makes costs incomparable. */
  profileDir: string | undefined;
  /** Whether this is a run whose results are kept: of all parts, with the usual links, against the floors. */
  isWhole: boolean;
  /** Whether the table is also written into the documentation. */
  write: boolean;
}

/**
 * Parses the command line: `--only PART` (may be repeated), `--links N`, `--against FOLDER`, `--profile FOLDER`, `--write`.
 * @throws for any other argument, and for `--write` without a whole run.
 */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== '--'),
    options: {
      only: { type: 'string', multiple: true, default: [] },
      links: { type: 'string', default: LINKS },
      against: { type: 'string' },
      profile: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const { only, links, against, profile: profileDir, write } = values;
  for (const name of only)
    if (!PARTS.some((part) => part === name))
      throw new Error(`--only must be one of ${PARTS.join(', ')}, not "${name}"`);
  if (!/^[1-9]\d*$/.test(links)) throw new Error(`--links must be a number of links, not "${links}"`);
  const isWhole = only.length === 0 && links === LINKS && against === undefined && profileDir === undefined;
  if (write && !isWhole) throw new Error('--write is for a run without other options');
  const parts = PARTS.filter((part) => (only.length > 0 ? only.includes(part) : !ONLY_IF_NAMED.includes(part)));
  return { parts, links: Number(links), against, profileDir, isWhole, write };
}
