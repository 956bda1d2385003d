import { type Client, type components, exportLinks } from '@waymark/client';
import { print, showProgress } from '@waymark/terminal';
import { CliError, EXIT } from '../cli-error.ts';
import { connect } from '../connection.ts';
import { interrupted } from '../interruption.ts';
import { oneLine, styled } from '../output/print.ts';
import { applySteps } from './apply-steps.ts';
import { type DeclaredLink, faultsText, keyOf, keysOf, readLinksFile } from './links-file.ts';
import { type Plan, planOf, type Step } from './plan.ts';

type Link = components['schemas']['Link'];

export interface ApplyOptions {
  file: string;
  managedBy: string;
  prune?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

/** Makes the links as the file says, and prints what it does. */
export async function apply({ file, managedBy, prune = false, dryRun = false, json }: ApplyOptions): Promise<void> {
  const declared = await readLinksFile(file);
  // A request that was sent gets its response, so that what is done is known.
  const client = await connect({ signal: undefined, stopRetrying: interrupted });
  const { existing, managed } = await readExisting(client, declared, managedBy);
  const plan = planOf(declared, existing, managedBy, prune ? managed : []);
  if (plan.conflicts.length > 0) throw new CliError(`${faultsText(file, plan.conflicts)}\nNothing was changed.`);
  if (!json) for (const step of plan.steps) process.stdout.write(`${stepText(step)}\n`);
  if (dryRun) return print(json, { dry_run: true, ...planJson(plan) }, planText(plan));

  const progress = showProgress(json);
  const onProgress = (done: number) => progress.show(`${done} of ${plan.steps.length} links`, done);
  const outcome = await applySteps(client, plan.steps, onProgress).finally(() => progress.clear());
  const { created, changed, deleted, refused } = outcome;
  const unchanged = plan.unchanged + outcome.unchanged;
  const done = created + changed + deleted + outcome.unchanged;
  print(
    json,
    { dry_run: false, ...planJson(plan), created, changed, deleted, unchanged, refused },
    `${created} created, ${changed} changed, ${deleted} deleted, ${unchanged} unchanged.`,
  );
  if (refused.length > 0) throw new CliError(faultsText(file, refused), EXIT.partly);
  if (done < plan.steps.length)
    throw new CliError(
      `Interrupted after ${done} of ${plan.steps.length} links; run it again to go on.`,
      EXIT.interrupted,
    );
}

/**
 * Reads the links that `managedBy` has. If the file names others, reads all links of the account once, and keeps those that
 * the file names.
 */
async function readExisting(
  client: Client,
  declared: readonly DeclaredLink[],
  managedBy: string,
): Promise<{ existing: Map<string, Link>; managed: Link[] }> {
  const existing = new Map<string, Link>();
  const managed: Link[] = [];
  for await (const link of exportLinks(client, { managed_by: managedBy, archived: 'any' })) {
    interrupted.throwIfAborted();
    for (const key of keysOf(link)) existing.set(key, link);
    managed.push(link);
  }
  const missing = new Set(declared.map(({ link }) => keyOf(link)).filter((key) => !existing.has(key)));
  if (missing.size === 0) return { existing, managed };
  for await (const link of exportLinks(client, { archived: 'any' })) {
    interrupted.throwIfAborted();
    for (const key of keysOf(link)) if (missing.has(key)) existing.set(key, link);
  }
  return { existing, managed };
}

function nameOf({ host, slug }: { host?: string | null | undefined; slug: string }): string {
  return host ? `${host}/${slug}` : slug;
}

function stepText(step: Step): string {
  switch (step.action) {
    case 'create':
      return styled('green', oneLine(`+ ${nameOf(step.link)} → ${step.link.destination_url}`));
    case 'delete':
      return styled('red', `- ${nameOf(step.before)}`);
    case 'change': {
      const changes = Object.entries(step.changes).map(
        ([name, { from, to }]) => `    ${name}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
      );
      return [styled('yellow', `~ ${nameOf(step.link)}`), ...changes].join('\n');
    }
  }
}

function planText({ steps, unchanged }: Plan): string {
  const count = (action: Step['action']) => steps.filter((step) => step.action === action).length;
  const counts = `${count('create')} to create, ${count('change')} to change, ${count('delete')} to delete`;
  return `${counts}, ${unchanged} unchanged. Nothing was changed.`;
}

function planJson({ steps, unchanged }: Plan): object {
  const stepJson = (step: Step) => {
    const { action } = step;
    if (action === 'delete') return { action, link: nameOf(step.before) };
    const { line, link } = step;
    return { action, line, link: nameOf(link), ...(action === 'change' && { changes: step.changes }) };
  };
  return { unchanged, steps: steps.map(stepJson) };
}
