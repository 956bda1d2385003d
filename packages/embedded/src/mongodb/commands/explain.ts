import { type Document, isDocument } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { fromInteger } from '../numbers.ts';
import { Execution, type Find, PAUSE, runWithPauses } from '../query/execution.ts';
import type { IndexPlan, Plan } from '../query/planner.ts';
import type { Projection } from '../query/projection.ts';
import { AGGREGATE_FIELDS, parseAggregate, runAggregate } from './aggregate.ts';
import { COUNT_FIELDS, parseCount } from './count.ts';
import { FIND_FIELDS, parseFind } from './find.ts';
import { OK } from './ok.ts';
import { COMMON_FIELDS, type Command, namespaceOf, type Request, refuseUnknownFields } from './request.ts';

const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution'];

interface Explained {
  find: Find;
  projection: Projection | undefined;
  counts: boolean;
  /** Runs the command to its end and gives how many documents it returns. */
  run(execution: (found: Execution) => void): Generator<typeof PAUSE, number>;
}

/** `explain` of find, aggregate and count: the plan chosen, and the figures of running it. */
export const explain: Command = {
  fields: ['verbosity'],
  run(request) {
    const { explain: inner, verbosity = 'allPlansExecution' } = request.body;
    if (!isDocument(inner))
      throw new CommandError(14, "BSON field 'explain.explain' is the wrong type, expected type 'object'");
    if (!VERBOSITIES.includes(verbosity as string))
      throw new CommandError(
        9,
        `verbosity string must be one of {'queryPlanner', 'executionStats', 'allPlansExecution'}`,
      );
    const name = Object.keys(inner)[0] ?? '';
    const explained = explainedOf({ ...request, name, body: inner });
    const namespace = namespaceOf({ ...request, name, body: inner });
    const collection = request.state.store.catalog.find(namespace);
    const base = { explainVersion: '1' };
    const command = { ...inner, $db: request.database };
    if (!collection) {
      const winningPlan = { stage: 'EOF' };
      return {
        ...base,
        queryPlanner: plannerOf(namespace, winningPlan),
        executionStats: statsOf(0, 0, 0, 0),
        command,
        ok: OK,
      };
    }
    const planned = new Execution(request.state.store, collection, explained.find);
    const queryPlanner = plannerOf(namespace, winningPlan(planned.plan, explained));
    if (verbosity === 'queryPlanner') return { ...base, queryPlanner, command, ok: OK };
    return execute(explained).then((executionStats) => ({ ...base, queryPlanner, executionStats, command, ok: OK }));
  },
};

async function execute(explained: Explained): Promise<Document> {
  const startedAt = performance.now();
  let execution: Execution | undefined;
  const returned = await runWithPauses(
    explained.run((found) => {
      execution = found;
    }),
  );
  return statsOf(returned, performance.now() - startedAt, execution?.keysExamined ?? 0, execution?.docsExamined ?? 0);
}

function explainedOf(request: Request): Explained {
  const { body, name, state } = request;
  const known = (fields: readonly string[]) => refuseUnknownFields(body, [name, ...COMMON_FIELDS, ...fields], name);
  const open = (find: Find, observe: (found: Execution) => void) => {
    const collection = state.store.catalog.find(namespaceOf(request));
    if (!collection) return undefined;
    const execution = new Execution(state.store, collection, find);
    observe(execution);
    return execution;
  };
  switch (name) {
    case 'find': {
      known(FIND_FIELDS);
      const { find, projection } = parseFind(request);
      return {
        find,
        projection,
        counts: false,
        *run(observe) {
          let returned = 0;
          for (const match of open(find, observe)?.matches() ?? []) {
            if (match === PAUSE) yield PAUSE;
            else returned += 1;
          }
          return returned;
        },
      };
    }
    case 'count': {
      known(COUNT_FIELDS);
      const find = parseCount(request);
      return {
        find,
        projection: undefined,
        counts: true,
        *run(observe) {
          const execution = open(find, observe);
          if (execution) yield* execution.count();
          return 0;
        },
      };
    }
    case 'aggregate': {
      known(AGGREGATE_FIELDS);
      const parsed = parseAggregate(request);
      return {
        find: parsed.find,
        projection: undefined,
        counts: parsed.counts !== undefined,
        *run(observe) {
          return (yield* runAggregate(request, parsed, state.store.catalog.find(namespaceOf(request)), observe)).length;
        },
      };
    }
    default:
      throw new CommandError(238, `explain of '${name}' is not supported by this server`);
  }
}

const plannerOf = (namespace: string, plan: Document): Document => ({
  namespace,
  indexFilterSet: false,
  winningPlan: plan,
  rejectedPlans: [],
});

function statsOf(returned: number, milliseconds: number, keys: number, documents: number): Document {
  return {
    executionSuccess: true,
    nReturned: fromInteger(returned),
    executionTimeMillis: fromInteger(Math.round(milliseconds)),
    totalKeysExamined: fromInteger(keys),
    totalDocsExamined: fromInteger(documents),
  };
}

function winningPlan(plan: Plan, { find, projection, counts }: Explained): Document {
  let stage = access(plan);
  const countsKeys = counts && plan.exact;
  if (plan.kind !== 'collection' && !countsKeys) stage = { stage: 'FETCH', inputStage: stage };
  if (!plan.sorted) {
    const sortPattern = Object.fromEntries(find.sort.map(({ path, direction }) => [path, direction]));
    stage = { stage: 'SORT', sortPattern, inputStage: stage };
  }
  if (find.skip > 0) stage = { stage: 'SKIP', skipAmount: fromInteger(find.skip), inputStage: stage };
  if (find.limit > 0) stage = { stage: 'LIMIT', limitAmount: fromInteger(find.limit), inputStage: stage };
  if (projection) stage = { stage: 'PROJECTION_DEFAULT', inputStage: stage };
  return counts ? { stage: 'COUNT', inputStage: stage } : stage;
}

function access(plan: Plan): Document {
  if (plan.kind === 'collection') return { stage: 'COLLSCAN', direction: plan.reverse ? 'backward' : 'forward' };
  if (plan.kind === 'union') return { stage: 'OR', inputStages: plan.plans.map(indexScan) };
  return plan.merge ? { stage: 'SORT_MERGE', inputStage: indexScan(plan) } : indexScan(plan);
}

function indexScan(plan: IndexPlan): Document {
  const { index } = plan;
  return {
    stage: 'IXSCAN',
    keyPattern: index.specification.key,
    indexName: index.name,
    isMultiKey: index.multikey.includes(true),
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.partial !== undefined,
    direction: plan.reverse ? 'backward' : 'forward',
    boundedFields: plan.bounded,
    ranges: fromInteger(plan.segments.length),
  };
}
