import { useQuery } from '@tanstack/preact-query';
import type { Analytics } from '@waymark/contract';
import { BarChart3 } from 'lucide';
import type { ComponentChildren } from 'preact';
import { api } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icon.tsx';
import { useLocation } from '../router.tsx';
import { analytics as texts } from '../texts/analytics.ts';
import { type AnalyticsSearch, withWindow } from './analytics-search.ts';
import { formatSpan } from './format.ts';

interface NoClicksProps {
  search: AnalyticsSearch;
  shown: Analytics;
  onShow: (search: AnalyticsSearch) => void;
}

const LONGEST = { days: 365 };

/** Shown instead of charts without a click. Says why and what to do next. */
export function NoClicks({ search, shown, onShow }: NoClicksProps) {
  const [, navigate] = useLocation();
  const filtered = Object.keys(search.filters).length > 0;
  const links = useQuery({
    queryKey: ['links', 'any'],
    queryFn: ({ signal }) => api('GET /api/v1/links', { query: { per: 1, fields: 'slug', archived: 'any' }, signal }),
    enabled: !filtered,
  });
  const span = formatSpan(shown.from, shown.to);
  const longer = shown.days < LONGEST.days && (
    <Button onClick={() => onShow(withWindow(search, LONGEST))}>{texts.empty.longer}</Button>
  );

  if (filtered) {
    return (
      <NextStep title={texts.empty.filtered.title} text={texts.empty.filtered.text(span)}>
        <Button variant="primary" onClick={() => onShow({ ...search, filters: {} })}>
          {texts.filters.clear}
        </Button>
        {longer}
      </NextStep>
    );
  }
  if (links.data?.total === 0) {
    return (
      <NextStep title={texts.empty.noLinks.title} text={texts.empty.noLinks.text}>
        <Button variant="primary" onClick={() => navigate('/links')}>
          {texts.empty.noLinks.action}
        </Button>
      </NextStep>
    );
  }
  return (
    <NextStep title={texts.empty.noClicks.title} text={texts.empty.noClicks.text(span)}>
      <Button variant="primary" onClick={() => navigate('/links')}>
        {texts.empty.noClicks.links}
      </Button>
      {longer}
    </NextStep>
  );
}

function NextStep({ children, ...words }: { title: string; text: string; children: ComponentChildren }) {
  return (
    <div className="card no-clicks">
      <EmptyState icon={<Icon of={BarChart3} size={32} />} {...words}>
        {children}
      </EmptyState>
    </div>
  );
}
