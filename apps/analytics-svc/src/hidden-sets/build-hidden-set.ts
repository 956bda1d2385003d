import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { changesOf, type Hidden, type HiddenSet, nearest, READ_ONE_BY_ONE_MAX, type Viewer } from './hidden-set.ts';
import { type HiddenSetsStore, isYoung } from './hidden-sets.store.ts';

/** Links that one statement adds or subtracts, so that it ends well within its time limit. */
const STEP_MAX = 250;
/** A set that is not complete after this time counts as abandoned: its process was probably killed. */
const LEFT_AFTER_SECONDS = 120;

/**
 * Builds a set of these links from the nearest young set, then drops all sets that existed before, abandoned ones
 * included. Several processes may do this concurrently.
 * @returns The set, or null if a young set is near enough or another process is building one.
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

/**
 * Builds the next set: the links of the set before, plus the first links that it lacks, minus the first that it must
 * not have. At most {@link STEP_MAX} links change.
 */
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
  // A drop makes a set not whole before it removes the sums. So if the set is whole now, its sums were complete when
  // read.
  if (rest.set !== null && !(await store.isWhole(viewer, rest.set, signal)))
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE, {
      cause: new Error('the set before was dropped meanwhile'),
    });
  return set;
}
