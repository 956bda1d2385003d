import type { Logger } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import { buildHiddenSet } from './build-hidden-set.ts';
import { changesOf, type Hidden, nearest, READ_ONE_BY_ONE_MAX, type Viewer } from './hidden-set.ts';
import { type HiddenSetsStore, isYoung, type StoredSet } from './hidden-sets.store.ts';

export interface HiddenSets {
  /**
   * Returns the cheapest way to read `links`, which are all links that are hidden from the viewer. If many must be read
   * one by one, or the set is a day old, a new set is built in the background, unless another replica has built one.
   * The result is cached by the object `links`.
   */
  find(viewer: Viewer, links: ReadonlySet<string>, signal: AbortSignal): Promise<Hidden>;
  /** Clears the cached sets of the viewer. Call it if a set was gone when its sums were read. */
  forget(viewer: Viewer): void;
  /** Aborts the running build. The next build for the viewer drops what it leaves behind. */
  close(): Promise<void>;
}

/** Links in all cached sets together. */
const REMEMBERED_LINKS_MAX = 1_000_000;
/** Long enough to save nearly all reads, short enough to notice that a set is a day old. */
const REMEMBERED_MS = 3_600_000;
/** A build for a viewer starts at most once in this time, or once in {@link FAILURE_PAUSE_MS} after a failure. */
const BUILD_PAUSE_MS = 5_000;
const FAILURE_PAUSE_MS = 60_000;
const VIEWERS_MAX = 10_000;

interface Found {
  sets: StoredSet[];
  hidden: Hidden;
  /** False if a new set should be built. */
  isNear: boolean;
}

export function createHiddenSets(store: HiddenSetsStore, logger: Logger): HiddenSets {
  const remembered = new LRUCache<string, StoredSet[]>({
    ttl: REMEMBERED_MS,
    maxSize: REMEMBERED_LINKS_MAX,
    sizeCalculation: (sets) => sets.reduce((links, set) => links + set.links.size, 1),
  });
  const builtLately = new LRUCache<string, true>({ max: VIEWERS_MAX, ttl: BUILD_PAUSE_MS });
  /** The running build. There is only one at a time, for all viewers. */
  let building: Promise<void> | null = null;
  /** The last result for the same links. */
  const foundLately = new WeakMap<ReadonlySet<string>, Found>();
  const closing = new AbortController();

  async function findSets(viewer: Viewer, signal: AbortSignal): Promise<StoredSet[]> {
    const known = remembered.get(keyOf(viewer));
    if (known !== undefined) return known;
    const sets = (await store.find(viewer, signal)).filter(({ isComplete }) => isComplete);
    remembered.set(keyOf(viewer), sets);
    return sets;
  }

  async function build(viewer: Viewer, links: ReadonlySet<string>): Promise<void> {
    const { accountId, scope } = viewer;
    const startedAt = performance.now();
    try {
      const set = await buildHiddenSet(store, viewer, links, closing.signal);
      const durationMs = Math.round(performance.now() - startedAt);
      if (set !== null) logger.info({ accountId, scope, links: links.size, durationMs }, 'hidden links are added up');
    } catch (err) {
      if (!closing.signal.aborted)
        logger.warn({ err, accountId, scope, links: links.size }, 'hidden links could not be added up; trying again');
      builtLately.set(keyOf(viewer), true, { ttl: FAILURE_PAUSE_MS });
    }
    remembered.delete(keyOf(viewer));
  }

  function buildBeside(viewer: Viewer, links: ReadonlySet<string>): void {
    if (building !== null || builtLately.has(keyOf(viewer)) || closing.signal.aborted) return;
    builtLately.set(keyOf(viewer), true);
    building = build(viewer, links).finally(() => {
      building = null;
    });
  }

  return {
    async find(viewer, links, signal) {
      if (links.size <= READ_ONE_BY_ONE_MAX) return nearest([], links);
      const sets = await findSets(viewer, signal);
      let found = foundLately.get(links);
      if (found?.sets !== sets) {
        const isNear = changesOf(nearest(sets.filter(isYoung), links)) <= READ_ONE_BY_ONE_MAX;
        found = { sets, hidden: nearest(sets, links), isNear };
        foundLately.set(links, found);
      }
      if (!found.isNear) buildBeside(viewer, links);
      return found.hidden;
    },
    forget(viewer) {
      remembered.delete(keyOf(viewer));
    },
    async close() {
      closing.abort();
      await building;
    },
  };
}

function keyOf({ accountId, scope }: Viewer): string {
  return `${scope} ${accountId}`;
}
