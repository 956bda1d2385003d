import { useMemo } from 'preact/hooks';
import { browserTimeZone, timeZones } from '../dates.ts';
import { analytics as texts } from '../texts/analytics.ts';
import type { AnalyticsSearch } from './analytics-search.ts';

interface ZonePickerProps {
  search: AnalyticsSearch;
  onShow: (search: AnalyticsSearch) => void;
}

/** The choice of the time zone whose midnights divide the days. */
export function ZonePicker({ search, onShow }: ZonePickerProps) {
  const own = browserTimeZone();
  const zones = useMemo(() => timeZones().filter((zone) => zone !== own), [own]);
  const { tz } = search;
  return (
    <select
      className="control zone-picker"
      aria-label={texts.zone.label}
      value={tz ?? ''}
      onChange={({ currentTarget }) => onShow({ ...search, tz: currentTarget.value || null })}
    >
      <option value="">{own === null ? texts.zone.unknown : texts.zone.browser(own)}</option>
      {tz !== null && !zones.includes(tz) && <option>{tz}</option>}
      {zones.map((zone) => (
        <option key={zone}>{zone}</option>
      ))}
    </select>
  );
}
