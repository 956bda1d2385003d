import { getServers } from 'node:dns';
import type { Logger } from '@waymark/service-kit';
import type { DecodedPacket } from 'dns-packet';
import { type NameServer, nameServer, queryTxt } from './dns-query.ts';

/** The bounds of one look. A request waits for it, and responds within 5 seconds. */
const TRY_MAX_MS = 800;
const TRIES = 2;
const LOOK_MAX_MS = 3_000;
/** RFC 1035, section 4.1.1. */
const RCODE = 0xf;
const NOERROR = 0;
const NXDOMAIN = 3;

/** Reads TXT records from these name servers (`address[:port]`), or from those of the system if there are none. */
export class TxtRecords {
  readonly #servers: readonly string[];
  readonly #logger: Logger;

  constructor(servers: readonly string[], logger: Logger) {
    this.#servers = servers;
    this.#logger = logger;
  }

  /**
   * Returns the values of the TXT records of a name; none if DNS says that there are none. Returns null if no name server
   * gives a clear answer within 3 seconds.
   */
  async find(name: string): Promise<string[] | null> {
    const servers = (this.#servers.length > 0 ? this.#servers : getServers()).map(nameServer);
    const ending = AbortSignal.timeout(LOOK_MAX_MS);
    for (let tries = 0; tries < TRIES; tries++) {
      for (const server of servers) {
        if (ending.aborted) return null;
        const values = await this.#ask(server, name, AbortSignal.any([ending, AbortSignal.timeout(TRY_MAX_MS)]));
        if (values !== null) return values;
      }
    }
    return null;
  }

  async #ask(server: NameServer, name: string, signal: AbortSignal): Promise<string[] | null> {
    try {
      const response = await queryTxt(server, name, signal);
      const values = valuesOf(response, name);
      if (values === null)
        this.#logger.info({ server, name, flags: response.flags }, 'a name server gave no clear answer');
      return values;
    } catch (err) {
      this.#logger.info({ err, server, name }, 'a name server did not answer');
      return null;
    }
  }
}

/**
 * Returns the values of the TXT records of a name in a response, through aliases. Returns null if the response neither has
 * them nor says that there are none: an error, a referral, or records of other names only.
 */
function valuesOf({ flags = 0, answers = [], authorities = [] }: DecodedPacket, name: string): string[] | null {
  const rcode = flags & RCODE;
  if (rcode === NXDOMAIN) return [];
  if (rcode !== NOERROR) return null;
  const aliases = new Map(
    answers.flatMap((answer) =>
      answer.type === 'CNAME' ? [[answer.name.toLowerCase(), answer.data.toLowerCase()] as const] : [],
    ),
  );
  let owner = name.toLowerCase();
  let followed = 0;
  // Each alias is followed once, so a circle ends.
  for (; followed < aliases.size && aliases.has(owner); followed++) owner = aliases.get(owner)!;
  const values = answers.flatMap((answer) =>
    answer.type === 'TXT' && answer.name.toLowerCase() === owner
      ? [Buffer.concat([answer.data].flat().map(bytesOf))]
      : [],
  );
  if (values.length > 0) return values.map((value) => value.toString());
  const isReferral = authorities.some(({ type }) => type === 'NS') && !authorities.some(({ type }) => type === 'SOA');
  return answers.length === followed && !isReferral ? [] : null;
}

function bytesOf(part: string | Buffer): Buffer {
  return Buffer.from(part as string);
}
