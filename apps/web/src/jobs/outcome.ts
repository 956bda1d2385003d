import type { Job } from '@waymark/contract';
import { jobs } from '../texts/jobs.ts';
import { countText, numberText } from '../texts/locale.ts';

const { outcome: texts } = jobs;

/** How many links, or rows of an import, had each outcome. */
export type Counts = Pick<Job, 'created' | 'changed' | 'deleted' | 'unchanged' | 'refused'>;

export const NO_COUNTS: Counts = { created: 0, changed: 0, deleted: 0, unchanged: 0, refused: 0 };

/** Says what was done: `120 links deleted, 3 unchanged, 2 refused.` */
export function countsText(counts: Counts, noun: 'link' | 'row' = 'link'): string {
  const done = (['created', 'changed', 'deleted'] as const)
    .filter((name) => counts[name] > 0)
    .map((name) => texts[name](counts[name]));
  const others = (['unchanged', 'refused'] as const)
    .filter((name) => counts[name] > 0)
    .map((name, index) => {
      const isFirst = done.length === 0 && index === 0;
      return `${isFirst ? countText(counts[name], noun) : numberText(counts[name])} ${texts[name]}`;
    });
  const parts = [...done, ...others];
  return parts.length === 0 ? texts.nothing : `${parts.join(', ')}.`;
}

/** Returns true if a job did nothing because more links matched than its user had seen. */
export function isOverMax({ state, done, matched }: Job, expected: number | null): boolean {
  return state === 'failed' && done === 0 && expected !== null && matched > expected;
}

/** Returns what the API says about a list or a job, without how its requests include archived links. */
export function shownNotice({ notice }: { notice?: string } = {}): string | undefined {
  return notice?.replace(/; send "archived"[^.]*/, '');
}

/** Says what a job did that is over. `expected` is the number of links that its user saw before it began, if known. */
export function outcomeText(job: Job, expected: number | null = null): string {
  if (isOverMax(job, expected)) return texts.overMax(expected!);
  const counts = countsText(job, job.kind === 'import' ? 'row' : 'link');
  const missing = job.state === 'done' && expected !== null ? expected - job.matched : 0;
  const all = missing > 0 ? `${counts} ${texts.missing(missing, expected!)}` : counts;
  const text = job.dry_run ? texts.dryRun(all) : all;
  const notice = shownNotice(job);
  if (job.state === 'failed') return texts.failed(text, notice);
  const said = job.state === 'cancelled' ? texts.cancelled(text) : text;
  return notice === undefined ? said : `${said} ${notice}`;
}
