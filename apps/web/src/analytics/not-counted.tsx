import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { ErrorState } from '../components/error-state.tsx';
import { Words } from '../components/words.tsx';
import { defaultTimeZone } from '../dates.ts';
import { analytics } from '../texts/analytics.ts';
import type { AnalyticsSearch } from './analytics-search.ts';
import { formatNumber } from './format.ts';

const texts = analytics.notCounted;

/** Says how many requests were redirected without being clicks, and why. Asks for them once it is opened. */
export function NotCounted({ search }: { search: AnalyticsSearch }) {
  const [open, setOpen] = useState(false);
  const { window, filters } = search;
  const parameters = { ...window, tz: search.tz ?? defaultTimeZone(), ...filters, fields: 'verdicts' };
  const query = useQuery({
    queryKey: ['analytics', 'verdicts', parameters],
    queryFn: async ({ signal }) => (await api('GET /api/v1/analytics', { query: parameters, signal })).verdicts!,
    enabled: open,
  });
  const total = (query.data ?? []).reduce((sum, { requests }) => sum + requests, 0);
  return (
    <details className="card breakdown not-counted" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts.title}</summary>
      <div aria-live="polite">
        {query.isPending && <p className="card-note">{texts.loading}</p>}
        {query.isError && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
        {query.isSuccess && (
          <>
            <p className="card-note">
              {total === 0 ? texts.none : <Words text={texts.some(total, formatNumber(total))} />}
            </p>
            <ul className="breakdown-rows">
              {query.data.map(({ verdict, requests }) => (
                <li key={verdict} className="breakdown-row">
                  <span className="breakdown-name">
                    <span>{texts.reasons[verdict].name}</span>
                    <small>{texts.reasons[verdict].detail}</small>
                  </span>
                  <Words text={texts.requests(requests, formatNumber(requests))} />
                </li>
              ))}
            </ul>
            <p className="card-note">{texts.others}</p>
          </>
        )}
      </div>
    </details>
  );
}
