import { createAnalyticsService } from '../../../apps/analytics-svc/src/analytics/analytics.service.ts';
import { createAnalyticsStore } from '../../../apps/analytics-svc/src/analytics/analytics.store.ts';
import type { Database, StatementOptions } from '../../../apps/analytics-svc/src/database/database.ts';
import type { AnalyticsQuery } from '../../../packages/contract/src/analytics/analytics-query.ts';
import type { World } from '../world.ts';

/** What analytics-svc learns from links-svc about the links that a key sees. */
export interface LinksOfKey {
  /** The ids of the links that the key does not see. */
  hidden: readonly string[];
  /** The ids of the links that have the hashtag of the question. */
  tagged: readonly string[];
}

/**
 * Returns a function that sends the statements of a question straight to ClickHouse, all in parallel: those that
 * analytics-svc sends when the question is asked again, and its cache has the ids of links.
 */
export async function straightStatements(
  world: World,
  question: AnalyticsQuery,
  { hidden, tagged }: LinksOfKey,
): Promise<() => Promise<void>> {
  let asked: { query: string; options: StatementOptions }[] = [];
  const run = async <Row>(query: string, { parameters, settings }: StatementOptions) => {
    const result = await world.clickhouse.query({
      query,
      format: 'JSONEachRow',
      ...(parameters && { query_params: parameters }),
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0, ...settings },
    });
    return result.json<Row>();
  };
  const recording: Pick<Database, 'query'> = {
    async query<Row>(query: string, options: StatementOptions = {}) {
      asked.push({ query, options });
      return run<Row>(query, options);
    },
  };
  const service = createAnalyticsService({
    ownHosts: [],
    store: createAnalyticsStore(recording),
    hiddenLinks: { find: async () => hidden },
    linksWithHashtag: { find: async () => tagged },
    hashtagsOfLinks: { find: async () => ({ linkIds: '', numbers: '', names: '' }) },
    shownLinks: {
      get: async (id) => ({ id, clicksId: id, slug: id, shortUrl: id, destinationUrl: id }) as never,
      findByClicksIds: async (ids) =>
        new Map(ids.map((id) => [id, { id, clicksId: id, slug: id, shortUrl: id, destinationUrl: id } as never])),
    },
  });
  const caller = {
    identity: {
      kind: 'account',
      accountId: world.account.id,
      username: 'bench',
      plan: 'developer',
      scope: 'full_access',
    },
    token: '',
    requestId: '',
  } as const;
  const never = new AbortController().signal;
  await service.get(question, caller, never);
  asked = [];
  await service.get(question, caller, never);
  const statements = asked;
  return async () => {
    await Promise.all(statements.map(({ query, options }) => run(query, options)));
  };
}
