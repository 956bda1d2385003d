import { parseArgs } from 'node:util';

/** The groups of works, in the order in which they are measured. */
export const WORK_GROUPS = ['links', 'redirects', 'mcp', 'ingestion', 'analytics'] as const;
export type WorkGroup = (typeof WORK_GROUPS)[number];

/** How much is measured. */
export interface Options {
  form: 'quick' | 'full';
  rounds: number;
  /** How many times the requests of a work a round has. */
  factor: number;
  connections: readonly number[];
  links: number;
  /** Clicks of a year that the analytics are asked with. */
  clicks: readonly number[];
  /** Only this group of works; nothing is written then. */
  only: WorkGroup | undefined;
  /** Where the services leave a CPU profile when they end. What they cost is not comparable then. */
  profileDir: string | undefined;
}

/** Reads the command line: `--full`, `--only GROUP`, `--profile FOLDER`. @throws where it has anything else. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== '--'),
    options: { full: { type: 'boolean', default: false }, only: { type: 'string' }, profile: { type: 'string' } },
  });
  const { full, profile: profileDir } = values;
  const only = WORK_GROUPS.find((group) => group === values.only);
  if (values.only !== undefined && only === undefined)
    throw new Error(`--only takes one of ${WORK_GROUPS.join(', ')}, not "${values.only}"`);
  return full
    ? {
        form: 'full',
        rounds: 7,
        factor: 4,
        connections: [1, 16, 64, 256],
        links: 100_000,
        clicks: [1e6, 10e6, 100e6],
        only,
        profileDir,
      }
    : {
        form: 'quick',
        rounds: 3,
        factor: 1,
        connections: [16],
        links: 100_000,
        clicks: [1e6, 10e6],
        only,
        profileDir,
      };
}
