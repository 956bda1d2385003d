import { requireAccount } from '@waymark/auth';
import { EXPORT_TYPES, type RawClick, RawClicksQuery, rawClickLines, rawClicksHeader } from '@waymark/contract';
import { clientGone, TextStreams } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import type { ClickLists } from './click-lists.service.ts';

const LIMITS = { name: 'lists of clicks', concurrency: 4, ofAccount: 2, ofAll: 100 };
/** About a megabyte. */
const PAGE_CLICKS = 2_000;

/** Adds `GET /api/v1/clicks`. The instance must have the identity plugin and `checkQueryParameters`. */
export function clickListRoutes(app: FastifyInstance, lists: ClickLists): void {
  const streams = new TextStreams(LIMITS);
  app.get<{ Querystring: RawClicksQuery }>(
    '/api/v1/clicks',
    { schema: { querystring: RawClicksQuery } },
    async (request, reply) => {
      const { query } = request;
      const identity = requireAccount(request.identity);
      const caller = { identity, token: request.identityToken, requestId: request.id };
      const signal = clientGone(reply);
      reply
        .type(EXPORT_TYPES[query.format])
        .header('content-disposition', `attachment; filename="clicks.${query.format}"`)
        .header('cache-control', 'no-store');
      if (request.method === 'HEAD') {
        await lists.check(query, caller, signal);
        // Without this, Fastify would read the whole stream.
        return reply.send('');
      }
      const clicks = upTo(query.limit, lists.pages(query, PAGE_CLICKS, caller, signal));
      return reply.send(
        await streams.start(identity.accountId, rawClicksHeader(query.format), clicks, (some) =>
          rawClickLines(query.format, some),
        ),
      );
    },
  );
}

/** Yields the clicks of the pages, up to a number. */
async function* upTo(limit: number, pages: AsyncIterable<{ clicks: RawClick[] }>): AsyncGenerator<RawClick[]> {
  let left = limit;
  for await (const { clicks } of pages) {
    if (clicks.length === 0) continue;
    yield clicks.slice(0, left);
    left -= clicks.length;
    if (left <= 0) return;
  }
}
