import { useQuery } from '@tanstack/preact-query';
import type { RawClick } from '@waymark/contract';
import { messageOf } from '../api/api-error.ts';
import { apiResponse } from '../api/client.ts';
import { ErrorState } from '../components/error-state.tsx';
import { Table } from '../components/table.tsx';
import { Words } from '../components/words.tsx';
import { defaultTimeZone, isTimeZone } from '../dates.ts';
import { Link } from '../router.tsx';
import { analytics } from '../texts/analytics.ts';
import { type AnalyticsSearch, withFilter } from './analytics-search.ts';
import { nameOfFilter } from './breakdown-rows.ts';
import { formatMoment } from './format.ts';
import { CountryFlag, Pictogram } from './pictogram.tsx';
import { pathOf } from './use-analytics-search.ts';

const texts = analytics.latest;
const SHOWN = 50;
const REFRESH_MS = 3_000;

/**
 * The last clicks, as they come: of all links, or of the one that is filtered by. They are read while the tab is shown.
 */
export function LatestClicks({ search }: { search: AnalyticsSearch }) {
  const { link_id, ...others } = search.filters;
  const query = useQuery({
    queryKey: ['clicks', 'latest', link_id],
    queryFn: async ({ signal }) => {
      const sent = { last: SHOWN, ...(link_id !== undefined && { link_id }) };
      return clicksOf(await (await apiResponse('GET /api/v1/clicks', { query: sent, signal })).text());
    },
    refetchInterval: REFRESH_MS,
  });
  const zone = search.tz !== null && isTimeZone(search.tz) ? search.tz : defaultTimeZone();
  return (
    <section className="card latest-clicks" aria-labelledby="latest-clicks" aria-busy={query.isPending}>
      <header className="card-header">
        <h2 id="latest-clicks">{texts.title}</h2>
      </header>
      <p className="card-note">
        <Words text={Object.keys(others).length > 0 ? texts.otherFilters : texts.about(SHOWN)} />
      </p>
      {query.isPending && <p className="card-note">{analytics.state.loading}</p>}
      {query.isError &&
        (query.data ? (
          <p className="notice" role="alert">
            <Words text={analytics.state.stale(messageOf(query.error))} />
          </p>
        ) : (
          <ErrorState error={query.error} onRetry={() => query.refetch()} />
        ))}
      {query.data?.length === 0 && <p className="card-note">{texts.none}</p>}
      {query.data && query.data.length > 0 && (
        <Table
          caption={texts.caption}
          columns={COLUMNS}
          rows={query.data.map((click) => ({ key: click.id, cells: cellsOf(click, search, zone) }))}
        />
      )}
    </section>
  );
}

const COLUMNS = [
  { key: 'time', head: texts.columns.time },
  { key: 'link', head: texts.columns.link, verbatim: true },
  { key: 'source', head: texts.columns.source },
  { key: 'country', head: texts.columns.country },
  { key: 'device', head: texts.columns.device },
];

function cellsOf(click: RawClick, search: AnalyticsSearch, zone: string) {
  const { slug, host, source, country, device, browser, os } = click;
  return [
    <time dateTime={click.clicked_at}>{formatMoment(click.clicked_at, zone)}</time>,
    <Link href={pathOf(withFilter(search, 'link_id', click.link_id))}>{`${host ?? ''}/${slug}`}</Link>,
    <span translate={source === 'direct'}>{nameOfFilter('source', source)}</span>,
    <span className="with-pictogram">
      <CountryFlag code={country ?? 'unknown'} />
      {nameOfFilter('country', country ?? 'unknown')}
    </span>,
    <span className="with-pictogram">
      <Pictogram of={device} />
      {texts.on(nameOfFilter('browser', browser), nameOfFilter('os', os))}
    </span>,
  ];
}

/** Returns the clicks of an answer, the latest first. */
function clicksOf(lines: string): RawClick[] {
  const clicks = lines.split('\n').flatMap((line): RawClick[] => (line === '' ? [] : [JSON.parse(line)]));
  return clicks.sort((one, other) => (one.clicked_at < other.clicked_at ? 1 : -1));
}
