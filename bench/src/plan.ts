import type { Effort } from './measure.ts';
import { type Axis, isSeries, type Options, type Part } from './options.ts';
import type { Work } from './work.ts';
import { analyticsWork } from './works/analytics.ts';
import { ingestionWork } from './works/ingestion.ts';
import { linksWorks } from './works/links.ts';
import { mcpWork } from './works/mcp.ts';
import { redirectWork } from './works/redirects.ts';
import type { Databases, World, WorldSize } from './world.ts';

/** A point of a series that shows how cost grows. */
export interface Point {
  axis: Axis;
  at: number;
}

/** A work that is to be measured: against its limit, or as a point of a series. */
export interface Task {
  work: Work;
  effort: Effort;
  point: Point | null;
}

/** A world and what is measured in it; each work is made only once the task before it is done. */
export interface Stage {
  databases: Databases;
  size: WorldSize;
  tasks(world: World): AsyncGenerator<Task>;
}

const EMBEDDED: Databases = { mongodbUrl: undefined, clickhouseUrl: undefined };
const CONNECTIONS = 16;
/** The limits are for this many links, and this many slugs of them. */
const LINKS = 100_000;
const SLUGS = 1_000;

const GROWING_LINKS = [1_000, 10_000, 100_000];
const GROWING_CONNECTIONS = [1, 16, 64, 256];
const GROWING_REPLICAS = [1, 2, 3];
/** The points of a series are compared with each other: they need less than a ratio that is held to a limit. */
const POINT_EFFORT = {
  rounds: { least: 3, most: 3 },
  roundMaxMs: 1_500,
  warmUpMaxMs: 2_000,
  workMaxMs: 10_000,
};
/** Of a year, for series along which clicks do not grow. */
const POINT_CLICKS = 1e6;
/** As many as the clicks are of. */
const REPLICAS_LINKS = 10_000;

/** The databases that a part is about, besides being there. */
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
/** The parts that need worlds of their own, one for each point. */
const APART: readonly Part[] = ['growth-links', 'growth-replicas'];

/**
 * What is to be measured, in the quick form only what has a limit. Works against their limits are measured on the embedded
 * databases, and on a database that was given too where they are about it; a series once, on the database that was given
 * where it is about it.
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
  if (part === 'redirects') return [await redirectWork(world, SLUGS)];
  if (part === 'mcp') return [await mcpWork(world)];
  if (part === 'ingestion') return [await ingestionWork(world)];
  if (part === 'analytics') return [await analyticsWork(world, clicks)];
  throw new Error(`${part} is no group of works`);
}

/** Every work that has a limit, with few clicks. */
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

/** What touches links, of which the world has this many; redirects of all of them. */
async function* atLinks(world: World, links: number): AsyncGenerator<Task> {
  const works = [...(await linksWorks(world)), await redirectWork(world, links), await mcpWork(world)];
  for (const work of works) yield point(work, connectionsOf(work), 'links', links);
}

/** What analytics-svc does, of which the world has this many replicas. */
async function* atReplicas(world: World, replicas: number): AsyncGenerator<Task> {
  yield point(await analyticsWork(world, POINT_CLICKS), CONNECTIONS, 'replicas', replicas);
  const ingestion = await ingestionWork(world);
  yield point(ingestion, connectionsOf(ingestion), 'replicas', replicas);
}

/** Whether any door of the work is held to a limit. */
export function hasLimit({ doors }: Work): boolean {
  return doors.some(({ limit }) => limit !== null);
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
