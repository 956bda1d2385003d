import { useMemo } from 'preact/hooks';
import { browserTimeZone, placeOf, timeZones } from '../dates.ts';
import { analytics as texts } from '../texts/analytics.ts';
import type { AnalyticsSearch } from './analytics-search.ts';

interface ZonePickerProps {
  search: AnalyticsSearch;
  onShow: (search: AnalyticsSearch) => void;
}

/**
 * The choice of the time zone whose midnights divide the days. Each begins with its place, so that whoever types “kolk”
 * in the list finds it.
 */
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
      <option value="">{own === null ? texts.zone.unknown : texts.zone.browser(textOf(own))}</option>
      {tz !== null && !zones.includes(tz) && <option value={tz}>{textOf(tz)}</option>}
      {zones.map((zone) => (
        <option key={zone} value={zone}>
          {textOf(zone)}
        </option>
      ))}
    </select>
  );
}

/** Returns a zone with its place first: `Buenos Aires (America/Argentina/Buenos_Aires)`. */
function textOf(zone: string): string {
  const place = placeOf(zone);
  return place === zone ? zone : `${place} (${zone})`;
}
