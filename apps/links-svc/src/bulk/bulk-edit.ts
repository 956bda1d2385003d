import type { AccountIdentity } from '@waymark/auth';
import {
  AppError,
  BULK_BEGIN_WITHIN_MS,
  type BulkOperation,
  type BulkResult,
  failedResult,
  type Link,
} from '@waymark/contract';
import { errorAsValue } from '../links/error-as-value.ts';
import { type Creation, type LinkCreations, outOfTime } from '../links/link-creations.service.ts';
import { checkCreation } from '../links/link-input.ts';
import type { LinksService } from '../links/links.service.ts';

export interface BulkEdit {
  service: Pick<LinksService, 'update' | 'delete'>;
  creations: Pick<LinkCreations, 'createMany' | 'preview'>;
  identity: AccountIdentity;
  /** Valid operations, and errors in place of malformed ones. */
  operations: readonly (BulkOperation | AppError)[];
  /** An id for each operation, which the link gets if the operation creates one. */
  linkIds: readonly string[];
  /** Called for every operation that failed on our side. */
  onFailure(error: AppError): void;
  /** Returns true if a link that no longer exists was deleted by an earlier attempt of the same edit. */
  wasDeleted?(id: string): Promise<boolean>;
}

type Step = { creations: Creation[] } | { result(): Promise<BulkResult> };

/**
 * Performs operations in order, each as its own request would be, and returns their results. One that fails stops no
 * other. Consecutive creations share one write, and all of `auto_meta` shares the time of one creation.
 */
export async function performBulkEdit(edit: BulkEdit): Promise<BulkResult[]> {
  const untilMs = performance.now() + BULK_BEGIN_WITHIN_MS;
  const results: BulkResult[] = [];
  for (const step of stepsOf(edit)) {
    if ('creations' in step) {
      const links = await edit.creations.createMany(edit.identity, step.creations, untilMs);
      results.push(...links.map((link) => resultOf(edit, 201, link)));
    } else {
      results.push(performance.now() > untilMs ? failedResult(outOfTime()) : await step.result());
    }
  }
  return results;
}

/** Groups consecutive creations, and starts to read the pages of all of them. */
function stepsOf(edit: BulkEdit): Step[] {
  const { creations, identity, operations, linkIds } = edit;
  const steps: Step[] = [];
  for (const [position, operation] of operations.entries()) {
    const refusal = operation instanceof AppError ? operation : refusalOf(identity, operation);
    if (refusal !== null) {
      steps.push({ result: async () => resultOf(edit, 0, refusal) });
    } else if (!(operation instanceof AppError) && operation.op === 'create') {
      const input = operation.link;
      const creation = { id: linkIds[position]!, input, preview: creations.preview(identity, input) };
      const last = steps.at(-1);
      if (last !== undefined && 'creations' in last) last.creations.push(creation);
      else steps.push({ creations: [creation] });
    } else {
      steps.push({ result: () => change(edit, operation as Change) });
    }
  }
  return steps;
}

/** Returns the error of a creation that cannot succeed, before its page is read. */
function refusalOf(identity: AccountIdentity, operation: BulkOperation): AppError | null {
  if (operation.op !== 'create') return null;
  try {
    checkCreation(identity.scope, operation.link);
    return null;
  } catch (error) {
    return error as AppError;
  }
}

type Change = Exclude<BulkOperation, { op: 'create' }>;

async function change(edit: BulkEdit, operation: Change): Promise<BulkResult> {
  const { service, identity } = edit;
  if (operation.op === 'update') {
    const { id, link } = operation;
    return resultOf(edit, 200, await errorAsValue(() => service.update(identity, id, link)));
  }
  const error = await errorAsValue(() => service.delete(identity, operation.id));
  if (error === undefined) return { status: 204 };
  if (error.code === 'not_found' && (await edit.wasDeleted?.(operation.id)) === true) return { status: 204 };
  return resultOf(edit, 204, error);
}

function resultOf(edit: BulkEdit, status: number, outcome: Link | AppError): BulkResult {
  if (!(outcome instanceof AppError)) return { status, link: outcome };
  if (outcome.httpStatus >= 500) edit.onFailure(outcome);
  return failedResult(outcome);
}
