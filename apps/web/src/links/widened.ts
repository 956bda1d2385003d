import { useQuery } from '@tanstack/preact-query';
import type { Link, ListLinksQuery } from '@waymark/contract';
import { messageOf } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import { links } from '../texts/links.ts';
import type { BulkTarget } from './bulk-change.ts';

const { bulk: texts } = links;
type Visibility = Link['visibility'];

/** The visibilities, those that fewer can see first. */
const NARROWEST_FIRST: readonly Visibility[] = ['private', 'password-protected', 'unlisted', 'public'];

/**
 * Says which links of a bulk edit more people can see with the chosen visibility. `isCounting` is true until that is
 * known.
 */
export function useWidened(target: BulkTarget, chosen: Visibility | ''): { text: string | null; isCounting: boolean } {
  const narrower = chosen === '' ? [] : NARROWEST_FIRST.slice(0, NARROWEST_FIRST.indexOf(chosen));
  const { data, error, isLoading } = useQuery({
    queryKey: ['links', 'widened', target, chosen],
    queryFn: async ({ signal }) =>
      Promise.all(
        narrower.map(async (visibility) => ({ visibility, count: await countOf(target, visibility, signal) })),
      ),
    enabled: narrower.length > 0,
  });
  return { text: chosen === '' ? null : textOf(), isCounting: isLoading };

  function textOf(): string | null {
    if (error !== null) return texts.widenedUnknown(messageOf(error));
    if (isLoading) return texts.counting;
    const widened = data?.filter(({ count }) => count > 0) ?? [];
    return widened.length === 0 ? null : texts.widened(widened, chosen as Visibility);
  }
}

async function countOf(target: BulkTarget, visibility: Visibility, signal: AbortSignal): Promise<number> {
  if (target.ticked !== null) return target.ticked.filter((link) => link.visibility === visibility).length;
  const { filter } = target;
  if (filter.visibility !== undefined && filter.visibility !== visibility) return 0;
  const query = { ...filter, visibility, per: 1, fields: 'id' } as unknown as Partial<ListLinksQuery>;
  return (await api('GET /api/v1/links', { query, signal })).total;
}
