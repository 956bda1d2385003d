import { DEFAULT_HOST_FILTER } from './default-host-filter.ts';
import { countText, LOCALE, megabytesText, numberText } from './locale.ts';

type Visibility = keyof typeof visibilities;
const LIST = new Intl.ListFormat(LOCALE);
const widenedTo: Record<Visibility, string> = {
  public: 'everyone',
  unlisted: 'everyone who has the URL',
  'password-protected': 'whoever has the password',
  private: 'nobody',
};
const SAMPLE_LENGTH = 30;
const short = (text: string) => (text.length > SAMPLE_LENGTH ? `${text.slice(0, SAMPLE_LENGTH)}…` : text);
const linkCount = (n: number) => countText(n, 'link');

export const visibilities = {
  public: 'Public',
  unlisted: 'Unlisted',
  private: 'Private',
  'password-protected': 'Password-protected',
} as const;

/** Texts of the view of links. */
export const links = {
  title: 'Links',
  create: 'New link',
  import: 'Import',
  export: 'Export',
  exporting: (bytes: number) => `Exporting… ${megabytesText(bytes)} MB so far.`,
  exported: 'The file with your links is ready in the downloads.',

  search: 'Search links',
  sort: 'Sort by',
  sorts: {
    'created_at desc': 'Newest first',
    'created_at asc': 'Oldest first',
    'clicks desc': 'Most clicks',
    'clicks asc': 'Fewest clicks',
    'updated_at desc': 'Last changed first',
    'updated_at asc': 'Last changed last',
    'title asc': 'Title A–Z',
    'title desc': 'Title Z–A',
    'slug asc': 'Short link A–Z',
    'slug desc': 'Short link Z–A',
    'destination_url asc': 'Destination A–Z',
    'destination_url desc': 'Destination Z–A',
  } as Record<string, string>,
  filters: {
    title: 'Filters',
    saved: 'Saved',
    savedOfAccount: 'Saved filters',
    show: (n: number) => (n === 0 ? 'Filters' : `Filters (${n})`),
    clear: 'Clear all',
    remove: (what: string) => `Remove the filter ${what}`,
    any: 'Any',
    domainExample: 'example.com',
    allHashtags: 'All hashtags',
    labels: {
      visibility: 'Visibility',
      hashtag: 'Hashtag',
      domain: 'Destination domain',
      destination_url: 'Destination',
      host: 'Host',
      health: 'Health',
      expired: 'Expired',
      managed_by: 'Managed by',
      created_after: 'Created from',
      created_before: 'Created before',
      last_clicked_before: 'Not clicked since',
      archived: 'Archived',
    },
    choices: {
      visibility: visibilities,
      health: { broken: 'Broken', ok: 'Works', unknown: 'Health not known' },
      expired: { true: 'Expired', false: 'Not expired' },
      archived: { false: 'Not archived', true: 'Only archived', any: 'Archived and not' },
    } as Record<string, Readonly<Record<string, string>>>,
    /** Says what a filter finds. */
    chip: (name: string, value: string): string => {
      const { choices, labels } = links.filters;
      if (name === 'hashtag') return `#${value}`;
      if (name === 'host') return value === DEFAULT_HOST_FILTER ? 'on the default host' : `on ${value}`;
      return choices[name]?.[value] ?? `${(labels as Record<string, string>)[name]} ${value}`;
    },
  },

  columns: {
    link: 'Link',
    hashtags: 'Hashtags',
    clicks: 'Clicks',
    created: 'Created',
    actions: 'Actions',
  },
  clicks: (n: number) => countText(n, 'click'),
  archivedBadge: 'Archived',
  expiredBadge: 'Expired',
  broken: (since: string, status: number | null) => `Broken since ${since}${status === null ? '' : ` (${status})`}`,
  expires: (when: string) => `Expires ${when}`,
  openAnalytics: (slug: string) => `Analytics of ${slug}`,
  filterByHashtag: (tag: string) => `Show links with #${tag}`,
  selectLink: (slug: string) => `Select ${slug}`,
  selectPage: 'Select all links of this page',
  copied: (url: string) => `Copied: ${url}`,
  copyUrl: (slug: string) => `Copy the short URL of ${slug}`,
  showQr: (slug: string) => `QR code of ${slug}`,
  more: (slug: string) => `More for ${slug}`,
  menu: {
    details: 'Details',
    edit: 'Edit',
    analytics: 'Analytics',
    archive: 'Archive',
    unarchive: 'Unarchive',
    delete: 'Delete…',
  },
  pages: {
    label: 'Pages',
    range: (from: number, to: number, total: number) => `${numberText(from)}–${numberText(to)} of ${numberText(total)}`,
    per: 'Rows per page',
    previous: 'Previous page',
    next: 'Next page',
  },
  emptyFirst: {
    title: 'Make your first short link',
    text: 'Paste a long address and share the short one. Each click is counted. You can also import links from a file.',
    next: 'After that: a key for your AI agent',
  },
  emptyFiltered: { title: 'No link matches', text: 'Change the search or clear the filters.' },

  archived: (slug: string) => `${slug} is archived. It still redirects.`,
  unarchived: (slug: string) => `${slug} is back in the list.`,
  undo: 'Undo',
  deleteOne: {
    title: (slug: string) => `Delete ${slug}?`,
    text: 'Visitors of the short link get “not found” from now on, and its clicks leave the analytics. This cannot be undone. To keep the clicks, archive the link instead.',
    action: 'Delete the link',
    done: 'The link is deleted.',
  },

  form: {
    createTitle: 'New link',
    editTitle: (slug: string) => `Edit ${slug}`,
    destination: 'Destination URL',
    destinationExample: 'https://example.com/a/long/address',
    host: 'Host',
    hostsMissing: (message: string) => `Your hosts could not be loaded, so you cannot choose one. ${message}`,
    slug: 'Short link',
    slugHint: 'Leave it empty to get a random one.',
    slugChanges: 'The old short link stops working when you change this.',
    title: 'Title',
    hashtags: 'Hashtags',
    hashtagsHint: 'Separated by spaces or commas.',
    visibility: 'Visibility',
    password: 'Password',
    passwordKept: 'Leave it empty to keep the current one.',
    more: 'More options',
    description: 'Description',
    note: 'Note',
    noteHint: 'Only you see it.',
    expiresAt: 'Expires at',
    expiresHint: 'In the time zone of this device.',
    skippedMinute: (field: string) => `"${field}" is in the hour that the clocks skip that night. Choose another time.`,
    expiredUrl: 'Destination after that',
    create: 'Create link',
    save: 'Save',
    createAgain: 'Pressing “Create link” again without editing makes no second link.',
    saved: 'The link is saved.',
    brokenUrl: {
      title: 'Does the white space belong to the URL?',
      text: 'There is white space in the middle of it. It may come from a line that was wrapped, for example in a mail.',
      keep: 'Keep it',
      remove: 'Remove it',
    },
    leave: {
      title: 'Discard your changes?',
      text: 'What you entered is not saved.',
      action: 'Discard',
      stay: 'Keep editing',
    },
  },

  ready: { label: 'New link', title: (url: string) => `${url} is ready.`, qr: 'QR code' },

  qr: {
    title: (slug: string) => `QR code of ${slug}`,
    alt: (url: string) => `QR code of ${url}`,
    download: (format: string) => `Download ${format.toUpperCase()}`,
    color: 'Color',
    background: 'Background',
    logo: 'Logo',
  },

  bulk: {
    label: 'Selected links',
    more: 'More',
    selected: (n: number) => `${linkCount(n)} selected`,
    selectMatching: (total: number) => `Select all ${numberText(total)}`,
    clear: 'Clear the selection',
    archive: 'Archive',
    stillRedirect: 'Archived links still redirect.',
    unarchive: 'Unarchive',
    tag: 'Add hashtags',
    untag: 'Remove hashtags',
    visibility: 'Visibility',
    delete: 'Delete',
    edit: 'Edit…',
    titles: {
      archive: 'Archive links',
      unarchive: 'Unarchive links',
      tag: (n: number) => `Add hashtags to ${linkCount(n)}`,
      untag: (n: number) => `Remove hashtags from ${linkCount(n)}`,
      visibility: (n: number) => `Visibility of ${linkCount(n)}`,
      delete: (n: number) => `Delete ${linkCount(n)}?`,
    },
    deleteText:
      'Visitors of these short links get “not found” from now on, and their clicks leave the analytics. This cannot be undone.',
    chooseVisibility: 'Choose a visibility',
    widened: (links: readonly { visibility: Visibility; count: number }[], chosen: Visibility) => {
      const counts = links.map(({ visibility, count }) => countText(count, `${visibility} link`));
      const isOne = links.length === 1 && links[0]!.count === 1;
      const become = `${LIST.format(counts)} ${isOne ? 'becomes' : 'become'} ${chosen}`;
      return `${become}: ${widenedTo[chosen]} can follow ${isOne ? 'it' : 'them'}.`;
    },
    counting: 'Looking which links more people will see…',
    widenedUnknown: (message: string) => `It is not known which of these links fewer people can see now. ${message}`,
    apply: 'Apply',
    noPassword: 'To set a password, edit each link.',
    grown: (now: number, before: number) =>
      `${linkCount(now)} match by now, not ${numberText(before)}. Nothing was done.`,
  },

  importing: {
    title: 'Import links',
    steps: ['File', 'Columns', 'First rows'],
    intro: 'An export of Waymark, Bitly, Dub, Kutt, Shlink or YOURLS, or another list of links.',
    file: 'File',
    drop: 'Choose a file, or drop it here',
    kinds: (megabytes: number) => `CSV, JSON or one JSON object a line, at most ${megabytes} MiB`,
    changedFile: (name: string) => `${name} has changed since you chose it, or is gone. Choose it again.`,
    tooLarge: (megabytes: number) => `The file is larger than ${megabytes} MiB. Import it in parts.`,
    reading: 'Reading the first rows…',
    uploading: 'Uploading the file…',
    understood: (name: string, format: string | undefined) =>
      format === undefined ? `The first rows of ${name}:` : `${name} is read as a file of ${format}. Its first rows:`,
    formats: {
      waymark: 'Waymark',
      bitly: 'Bitly',
      dub: 'Dub',
      kutt: 'Kutt',
      shlink: 'Shlink',
      yourls: 'YOURLS',
    } as Record<string, string>,
    noRows: 'The file has no rows.',
    guessedEncoding: (encoding: string) =>
      `The file is not in UTF-8; it is read as ${encoding}. Check that its letters are right.`,
    unusedColumns: 'Columns that are not imported:',
    rows: 'First rows',
    row: 'Row',
    understoodAs: 'Understood as',
    refused: (reason: string) => `Refused: ${reason}`,
    columns: 'Columns',
    field: 'Field',
    column: 'Column of the file',
    changeColumns: 'Choose columns…',
    columnsIntro: 'Choose the column of the file for each field. The first value of each column is beside its name.',
    chooseColumn: 'Choose a column',
    noColumn: 'Not imported',
    columnWithSample: (name: string, sample: string) => (sample === '' ? name : `${name} — ${short(sample)}`),
    yes: 'yes',
    preview: 'Show the first rows',
    start: 'Import',
    back: 'Another file',
    fields: {
      destination_url: 'Destination URL',
      host: 'Host',
      slug: 'Short link',
      title: 'Title',
      description: 'Description',
      note: 'Note',
      hashtags: 'Hashtags',
      visibility: 'Visibility',
      archived: 'Archived',
      expires_at: 'Expires at',
      expired_url: 'Destination after that',
      created_at: 'Created at',
    } as Record<string, string>,
    leave: {
      title: 'Stop the upload?',
      text: 'The file is not imported unless it was uploaded completely.',
      action: 'Stop the upload',
      stay: 'Continue the upload',
    },
  },
};

export const visibilityHints = {
  public: 'Everyone can follow it.',
  unlisted: 'Everyone can follow it. Search engines are asked not to list it.',
  private: 'Nobody can follow it: visitors get “not found”.',
  'password-protected': 'Visitors must enter the password.',
} as const;

/** The labels of what the API names in its messages. */
export const fieldLabels: Record<string, string> = {
  ...links.filters.labels,
  ...links.importing.fields,
  password: links.form.password,
  max_clicks: 'Clicks at most',
  redirect_code: 'Redirect',
  rules: 'Rules',
  social_title: 'Preview title',
  social_description: 'Preview description',
  social_image_url: 'Preview image',
  managed_by: 'Managed by',
  add_hashtags: links.form.hashtags,
  remove_hashtags: links.form.hashtags,
  name: 'Name',
  scope: 'Belongs to',
  types: 'Events',
  url: 'URL',
  actions: 'Actions',
  root_url: 'Start page',
  not_found_url: 'Page for unknown short links',
};
