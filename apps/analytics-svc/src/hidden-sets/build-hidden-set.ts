import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { changesOf, type Hidden, type HiddenSet, nearest, READ_ONE_BY_ONE_MAX, type Viewer } from './hidden-set.ts';
import { type HiddenSetsStore, isYoung } from './hidden-sets.store.ts';

/** Links that one statement adds up or takes away: with 100 million clicks on 10,000 links it takes a second or two. */
const STEP_MAX = 250;
/** A set that is not complete after this time was left by a process that is gone. */
const LEFT_AFTER_SECONDS = 120;

/**
 * Builds a set of these links out of the young one that is nearest to them; drops then what was there, and what was left behind. Any number
 * of processes may do this at once.
 * @returns The set; null where there is a young one that is near enough, or another process is building one.
 */
export async function buildHiddenSet(
  store: HiddenSetsStore,
  viewer: Viewer,
  links: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<HiddenSet | null> {
  const found = await store.find(viewer, signal);
  if (found.some(({ isComplete, ageSeconds }) => !isComplete && ageSeconds < LEFT_AFTER_SECONDS)) return null;
  const base = nearest(found.filter(isYoung), links);
  if (changesOf(base) <= READ_ONE_BY_ONE_MAX) return null;

  let set = await buildStep(store, viewer, base, signal);
  for (let rest = nearest([set], links); changesOf(rest) > 0; rest = nearest([set], links)) {
    const next = await buildStep(store, viewer, rest, signal);
    await store.drop(viewer, set.number, signal);
    set = next;
  }
  await store.complete(viewer, set, signal);
  for (const { number } of found) await store.drop(viewer, number, signal);
  return set;
}

/** A set of the links of the one before, and of the first of those that it lacks, and without the first of those it has too many. */
async function buildStep(
  store: HiddenSetsStore,
  viewer: Viewer,
  rest: Hidden,
  signal: AbortSignal,
): Promise<HiddenSet> {
  const added = rest.added.slice(0, STEP_MAX);
  const removed = rest.removed.slice(0, STEP_MAX - added.length);
  const links = new Set(rest.set?.links);
  for (const link of added) links.add(link);
  for (const link of removed) links.delete(link);
  const set = await store.begin(viewer, links, signal);
  await store.fill(viewer, set, { set: rest.set, added, removed }, signal);
  // A set loses its wholeness before its sums: it had them when they were read.
  if (rest.set !== null && !(await store.isWhole(viewer, rest.set, signal)))
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE, {
      cause: new Error('the set before was dropped meanwhile'),
    });
  return set;
}
