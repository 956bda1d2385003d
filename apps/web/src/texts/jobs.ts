import { countText, numberText } from './locale.ts';

const linkCount = (n: number) => countText(n, 'link');

/** Texts of work that runs on the server. */
export const jobs = {
  title: 'Jobs',
  intro: 'Imports and changes of many links run on the server. You can close this page meanwhile.',
  empty: { title: 'No jobs yet', text: 'Imports and changes of many links appear here for 30 days.' },
  running: { edit: 'Editing links', delete: 'Deleting links', import: 'Importing links', undo: 'Undoing' },
  runningOther: (title: string, who: string) => `${title}, by ${who}`,
  states: { waiting: 'Waiting', running: 'Running', done: 'Done', cancelled: 'Cancelled', failed: 'Failed' },
  dryRun: 'Only counted',
  waiting: 'Begins after the jobs before it',
  finding: 'Looking for the links',
  progress: (done: number, matched: number) => `${numberText(done)} of ${numberText(matched)} done`,
  waitingOthers: (n: number) => `${countText(n, 'more job waits', 'more jobs wait')}.`,
  cancel: 'Cancel',
  undo: 'Undo',
  undoUntil: (when: string) => `Can be undone until ${when}.`,
  details: 'Details',
  by: (who: string) => `by ${who}`,
  you: 'you',
  actors: {
    session: 'another session',
    key: (name: string) => `key ${name}`,
    admin: 'the command line',
    system: 'Waymark',
  },
  others: (title: string, who: string, outcome: string) => `${title}, by ${who}: ${outcome}`,
  unusedColumns: (names: readonly string[]) => `Columns that were not imported: ${names.join(', ')}.`,
  undoOther: {
    title: (who: string) => `Undo a job of ${who}?`,
    text: 'Each field that it changed, and that nobody changed since, gets its value from before.',
    action: 'Undo the job',
  },
  undoImport: {
    title: 'Undo the import?',
    text: (n: number) =>
      `${linkCount(n)} of this import will be deleted, but not those that changed since. Visitors get “not found” then.`,
    action: 'Undo the import',
  },

  outcome: {
    created: (n: number) => `${linkCount(n)} created`,
    changed: (n: number) => `${linkCount(n)} changed`,
    deleted: (n: number) => `${linkCount(n)} deleted`,
    unchanged: 'unchanged',
    refused: 'refused',
    nothing: 'Nothing was changed.',
    overMax: (expected: number) => `More than the ${linkCount(expected)} match by now. Nothing was done.`,
    missing: (n: number, expected: number) => `${numberText(n)} of the ${numberText(expected)} no longer matched.`,
    cancelled: (outcome: string) => `Cancelled. ${outcome}`,
    failed: (outcome: string, reason = 'The job could not go on.') => `${reason} ${outcome}`,
    dryRun: (outcome: string) => `Only counted: ${outcome}`,
  },

  refused: {
    show: 'Show what was refused',
    title: 'Refused',
    row: 'Row',
    link: 'Link',
    reason: 'Reason',
    more: (n: number) => `And ${numberText(n)} more: the download has all of them.`,
    download: 'Download as CSV',
  },
};
