import { CalendarDays } from 'lucide';
import { useState } from 'preact/hooks';
import { serverNow } from '../api/server-clock.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Words } from '../components/words.tsx';
import { addDays, dateIn, defaultTimeZone, isTimeZone } from '../dates.ts';
import { Link } from '../router.tsx';
import { analytics as texts } from '../texts/analytics.ts';
import { type AnalyticsSearch, withWindow } from './analytics-search.ts';
import { CustomWindowDialog } from './custom-window-dialog.tsx';
import { formatSpan } from './format.ts';
import { pathOf } from './use-analytics-search.ts';

interface WindowPickerProps {
  search: AnalyticsSearch;
  onShow: (search: AnalyticsSearch) => void;
}

/** The choice of days: presets, or any from one date to another. */
export function WindowPicker({ search, onShow }: WindowPickerProps) {
  const [choosing, setChoosing] = useState(false);
  const { window, tz } = search;
  // For an unknown zone, the page shows the API's message.
  const today = dateIn(tz !== null && isTimeZone(tz) ? tz : defaultTimeZone(), serverNow());
  const shown = 'from' in window ? window : { from: addDays(today, 1 - window.days), to: today };
  return (
    <>
      <nav className="segments" aria-label={texts.window.label}>
        {texts.window.presets.map(({ days, name }) => (
          <Link
            key={days}
            href={pathOf(withWindow(search, { days }))}
            aria-current={'days' in window && window.days === days ? 'true' : undefined}
          >
            {name}
          </Link>
        ))}
      </nav>
      <Button onClick={() => setChoosing(true)} aria-haspopup="dialog">
        <Icon of={CalendarDays} size={16} />
        <span className="visually-hidden">{texts.window.custom}: </span>
        <Words text={formatSpan(shown.from, shown.to)} />
      </Button>
      {choosing && (
        <CustomWindowDialog
          {...shown}
          today={today}
          onClose={() => setChoosing(false)}
          onShow={(next) => {
            setChoosing(false);
            onShow(withWindow(search, next));
          }}
        />
      )}
    </>
  );
}
