import type { FilterName, Unit } from '../analytics/analytics-search.ts';

const plural = (count: number, one: string, many: string) => (count === 1 ? one : many);

/** Texts of the analytics. Numbers and dates in them are already in words. */
export const analytics = {
  title: 'Analytics',
  toolbar: 'What the figures show',
  window: {
    label: 'Window',
    presets: [
      { days: 1, name: 'Today' },
      { days: 7, name: '7 days' },
      { days: 30, name: '30 days' },
      { days: 90, name: '90 days' },
      { days: 365, name: '12 months' },
    ],
    custom: 'Choose days',
    from: 'From',
    to: 'To',
    apply: 'Show these days',
    incomplete: 'Choose the first and the last day.',
    reversed: 'The first day must not be after the last one.',
    tooLong: (max: number) => `Choose at most ${max} days.`,
    future: 'The last day must not be after today.',
  },
  zone: {
    label: 'Time zone',
    browser: (zone: string) => `${zone} (this browser)`,
    unknown: 'UTC (this browser names no time zone)',
  },
  compare: {
    short: 'Compare',
    rest: (days: number) => (days === 1 ? ' with the day before' : ` with the ${days} days before`),
  },
  filters: {
    label: 'Filters',
    names: {
      link_id: 'Link',
      hashtag: 'Hashtag',
      source: 'Source',
      country: 'Country',
      device: 'Device',
      browser: 'Browser',
      os: 'System',
    } satisfies Record<FilterName, string>,
    remove: (name: string, value: string) => `Remove the filter ${name}: ${value}`,
    clear: 'Remove all filters',
    hashtag: (hashtag: string) => `#${hashtag}`,
    unknownLink: 'unknown link',
  },
  link: {
    label: 'The link of these figures',
    destination: 'Destination',
  },
  search: {
    label: 'Filter by a link or #hashtag',
    searching: 'Searching …',
    nothing: 'No link or hashtag matches.',
    hashtag: 'All links with this hashtag',
    found: (count: number) => `${count} ${plural(count, 'suggestion', 'suggestions')}. Use the arrow keys to choose.`,
  },
  figures: {
    label: 'Key figures',
    clicks: 'Clicks',
    visitors: 'Visitors',
    visitorsHint: 'Different visitors of each day, added up',
    mean: 'Clicks per visitor',
    busiestDay: 'Busiest day',
    busiestHour: 'Busiest hour',
    /** What a figure was in the window before. */
    before: {
      yesterday: (value: string) => `${value} in all of yesterday`,
      yesterdayUntil: (value: string, hour: string) => `${value} yesterday until ${hour}`,
      day: (value: string, day: string) => `${value} on ${day}`,
      days: (value: string, days: string) => `${value} in ${days}`,
      daysUntil: (value: string, days: string, hour: string) => `${value} in ${days} until ${hour}`,
    },
    isNew: 'new',
  },
  chart: {
    title: 'Clicks over time',
    units: { hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' } satisfies Record<Unit, string>,
    unit: 'Each bar is',
    table: 'Table',
    asTable: 'Clicks over time as a table',
    keys: 'The arrow keys move between bars.',
    keysFilter: 'The arrow keys move between bars. Enter shows the days of a bar.',
    clicks: (count: number, words: string) => `${words} ${plural(count, 'click', 'clicks')}`,
    visitors: (count: number, words: string) => `${words} ${plural(count, 'visitor', 'visitors')}`,
    beforeDay: (count: string, day: string) => `${count} on ${day}`,
    beforeDays: (count: string, days: string) => `${count} in ${days}`,
    unfinished: 'not over yet',
    legendUnfinished: 'Not over yet',
    legendBefore: (span: string) => `${span} (before)`,
  },
  hours: {
    title: 'Hours of the day',
    tooLong: 'Hours are known for windows of at most 31 days.',
    shorter: 'Show 30 days',
  },
  columns: {
    time: 'Time',
    clicks: 'Clicks',
    visitors: 'Visitors',
    before: 'Days before',
  },
  lists: {
    titles: {
      top_links: 'Top links',
      sources: 'Sources',
      countries: 'Countries',
      referrers: 'Referrers',
      devices: 'Devices',
      browsers: 'Browsers',
      operating_systems: 'Systems',
    },
    none: 'No data.',
    direct: 'Direct',
    unknownCountry: 'Unknown country',
    devicesByName: new Map([
      ['desktop', 'Desktop'],
      ['mobile', 'Mobile'],
      ['tablet', 'Tablet'],
      ['other', 'Other'],
    ]),
    other: 'Other',
    /** What a list does not show. Without a number, it is not known how many they are. */
    others: (count: number | null) => (count === null ? 'Others' : `Others (${count})`),
    all: (count: number) => `Show all ${count}`,
    fewer: 'Show fewer',
    filterBy: 'Filter by this',
    stopFilter: 'Remove this filter',
  },
  empty: {
    noLinks: {
      title: 'No links yet',
      text: 'Create a link and share its short URL. Each click on it appears here within seconds.',
      action: 'Create a link',
    },
    filtered: {
      title: 'No clicks match these filters',
      text: (span: string) => `Nothing was clicked with them in ${span}.`,
    },
    noClicks: {
      title: 'No clicks in this window',
      text: (span: string) =>
        `Your links were not clicked in ${span}. Open a short URL in a browser to try it: the click appears here within seconds. Bots and previews do not count.`,
      links: 'Go to your links',
    },
    longer: 'Show 12 months',
  },
  state: {
    loading: 'Loading the figures …',
    loaded: (span: string) => `Figures of ${span}`,
    stale: (message: string) => `These figures are not up to date. ${message}`,
  },
  export: {
    action: 'Export CSV',
    fileName: (from: string, to: string) => `clicks-${from}-to-${to}.csv`,
    /** The first column of the rows that are no list. */
    parts: {
      zone: 'time zone',
      filter: 'filter',
      total: 'total',
      before: 'total before',
      time: 'time',
      hour: 'hour of the day',
    },
    span: (from: string, to: string) => `${from} to ${to}`,
    filter: (name: string, value: string) => `${name}: ${value}`,
  },
};
