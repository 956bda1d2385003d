import type { Effort } from './measure.ts';
import { type Axis, isSeries, type Options, type Part } from './options.ts';
import type { Work } from './work.ts';
import { analyticsWork } from './works/analytics.ts';
import { ingestionWork } from './works/ingestion.ts';
import { linksWorks } from './works/links.ts';
import { mcpWork } from './works/mcp.ts';
import { redirectWork } from './works/redirects.ts';
import { shortHostRedirectWork } from './works/short-host-redirects.ts';
import type { Databases, World, WorldSize } from './world.ts';

/** One point of a series that shows how cost grows. */
export interface Point {
  axis: Axis;
  at: number;
}

/** A workload to measure: against its limit, or as a point of a series. */
export interface Task {
  work: Work;
  effort: Effort;
  point: Point | null;
}

/**
 * A world and the tasks to measure in it. The tasks are generated lazily, because preparing a workload may load data
 * that would change what earlier tasks measure.
 */
export interface Stage {
  databases: Databases;
  size: WorldSize;
  tasks(world: World): AsyncGenerator<Task>;
}

const EMBEDDED: Databases = { mongodbUrl: undefined, clickhouseUrl: undefined };
const CONNECTIONS = 16;
/** The limits apply to this many links, and to redirects of this many slugs. */
const LINKS = 100_000;
const SLUGS = 1_000;

const GROWING_LINKS = [1_000, 10_000, 100_000];
const GROWING_CONNECTIONS = [1, 16, 64, 256];
const GROWING_REPLICAS = [1, 2, 3];
/** Points of a series are only compared with each other, so they need less effort than a ratio with a limit. */
const POINT_EFFORT = {
  rounds: { least: 3, most: 3 },
  roundMaxMs: 1_500,
  warmUpMaxMs: 2_000,
  workMaxMs: 10_000,
};
/** Clicks in a year, for series that do not vary clicks. */
const POINT_CLICKS = 1e6;
/** As many links as have clicks. */
const REPLICAS_LINKS = 10_000;

/** The databases whose performance a part measures. */
const ABOUT: Record<Part, readonly (keyof Databases)[]> = {
  links: ['mongodbUrl'],
  redirects: [],
  mcp: [],
  ingestion: ['clickhouseUrl'],
  analytics: ['clickhouseUrl'],
  'growth-links': ['mongodbUrl'],
  'growth-clicks': ['clickhouseUrl'],
  'growth-connections': ['mongodbUrl', 'clickhouseUrl'],
  'growth-replicas': ['clickhouseUrl'],
};
/** The parts that need a separate world for each point. */
const APART: readonly Part[] = ['growth-links', 'growth-replicas'];

/**
 * Returns the stages to measure; the quick form has only workloads with a limit. Workloads are measured against their
 * limits on the embedded databases, and also on a given database that their part is about. A series is measured once:
 * on the given database if its part is about it, else on the embedded one.
 */
export function plan(options: Options, given: Databases): Stage[] {
  const { form, parts, effort, clicks } = options;
  const isAboutGiven = (part: Part) => ABOUT[part].some((database) => given[database] !== undefined);
  const databasesOf = (part: Part) => (isAboutGiven(part) ? given : EMBEDDED);
  const together = parts.filter((part) => !APART.includes(part));
  const onGiven = together.filter(isAboutGiven);
  const onEmbedded = together.filter((part) => !isAboutGiven(part) || !isSeries(part));

  const tasksOf = async function* (world: World, chosen: readonly Part[]): AsyncGenerator<Task> {
    for (const part of chosen) {
      if (part === 'growth-connections') yield* overConnections(world);
      else if (part === 'growth-clicks') yield* overClicks(world, clicks);
      else
        for (const work of await worksOf(part, world, clicks.at(-1)!))
          if (form === 'full' || hasLimit(work))
            yield { work, effort: { connections: connectionsOf(work), ...effort }, point: null };
    }
  };
  const size = { links: LINKS, analyticsReplicas: 1 };
  return [
    ...(onGiven.length === 0 ? [] : [{ databases: given, size, tasks: (world: World) => tasksOf(world, onGiven) }]),
    ...(onEmbedded.length === 0
      ? []
      : [{ databases: EMBEDDED, size, tasks: (world: World) => tasksOf(world, onEmbedded) }]),
    ...(parts.includes('growth-links') ? GROWING_LINKS : []).map((links) => ({
      databases: databasesOf('growth-links'),
      size: { links, analyticsReplicas: 1 },
      tasks: (world: World) => atLinks(world, links),
    })),
    ...(parts.includes('growth-replicas') ? GROWING_REPLICAS : []).map((analyticsReplicas) => ({
      databases: databasesOf('growth-replicas'),
      size: { links: REPLICAS_LINKS, analyticsReplicas },
      tasks: (world: World) => atReplicas(world, analyticsReplicas),
    })),
  ];
}

async function worksOf(part: Part, world: World, clicks: number): Promise<Work[]> {
  if (part === 'links') return linksWorks(world);
  if (part === 'redirects') return [await redirectWork(world, SLUGS), await shortHostRedirectWork(world, SLUGS)];
  if (part === 'mcp') return [await mcpWork(world)];
  if (part === 'ingestion') return [await ingestionWork(world)];
  if (part === 'analytics') return [await analyticsWork(world, clicks)];
  throw new Error(`${part} is not a part of the benchmark`);
}

/** Yields every workload that has a limit, with few clicks. */
async function* overConnections(world: World): AsyncGenerator<Task> {
  for (const part of ['links', 'redirects', 'mcp', 'analytics', 'ingestion'] as const)
    for (const work of (await worksOf(part, world, POINT_CLICKS)).filter(hasLimit))
      for (const connections of GROWING_CONNECTIONS) yield point(work, connections, 'connections', connections);
}

async function* overClicks(world: World, clicks: readonly number[]): AsyncGenerator<Task> {
  for (const count of clicks) {
    const works = [await analyticsWork(world, count), await ingestionWork(world)];
    for (const work of works) yield point(work, connectionsOf(work), 'clicks', count);
  }
}

/** Yields the workloads that read or write links, in a world with this many links; redirects cover all of them. */
async function* atLinks(world: World, links: number): AsyncGenerator<Task> {
  const works = [...(await linksWorks(world)), await redirectWork(world, links), await mcpWork(world)];
  for (const work of works) yield point(work, connectionsOf(work), 'links', links);
}

/** Yields the workloads of analytics-svc, in a world with this many replicas of it. */
async function* atReplicas(world: World, replicas: number): AsyncGenerator<Task> {
  yield point(await analyticsWork(world, POINT_CLICKS), CONNECTIONS, 'replicas', replicas);
  const ingestion = await ingestionWork(world);
  yield point(ingestion, connectionsOf(ingestion), 'replicas', replicas);
}

/** Returns whether any entry point of the workload has a limit. */
export function hasLimit({ endpoints }: Work): boolean {
  return endpoints.some(({ limit }) => limit !== null);
}

function connectionsOf({ connectionsMax = CONNECTIONS }: Work): number {
  return Math.min(CONNECTIONS, connectionsMax);
}

function point(work: Work, connections: number, axis: Axis, at: number): Task {
  return {
    work,
    effort: { connections, ...POINT_EFFORT },
    point: { axis, at },
  };
}
