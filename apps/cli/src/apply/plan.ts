import { isDeepStrictEqual } from 'node:util';
import type { components } from '@waymark/client';
import {
  AppError,
  creationOf,
  normalizeHashtags,
  timeOfRfc3339,
  type UpsertLinkInput,
  updateOf,
} from '@waymark/contract';
import { type DeclaredLink, type Fault, keyOf, keysOf } from './links-file.ts';

type Link = components['schemas']['Link'];

/** What fields of a link have, and what the file says. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

/** What to do with one link. */
export type Step =
  | { action: 'create'; line: number; link: UpsertLinkInput }
  | { action: 'change'; line: number; link: UpsertLinkInput; before: Link; changes: Changes }
  | { action: 'delete'; before: Link };

export interface Plan {
  /** In the order of the file. Deletions are last. */
  steps: Step[];
  unchanged: number;
  conflicts: Fault[];
}

/**
 * Compares a file with the links that exist, by {@link keyOf}. Only fields that the file names are compared. A link without
 * `managed_by` is taken over; one that another tool manages is a conflict. Of `prunable`, deletes the links that the file
 * does not have.
 */
export function planOf(
  declared: readonly DeclaredLink[],
  existing: ReadonlyMap<string, Link>,
  managedBy: string,
  prunable: readonly Link[],
): Plan {
  const plan: Plan = { steps: [], unchanged: 0, conflicts: [] };
  for (const { line, link } of declared) {
    try {
      const step = stepOf(line, { ...link, managed_by: managedBy }, existing.get(keyOf(link)));
      if (step === null) plan.unchanged += 1;
      else plan.steps.push(step);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      plan.conflicts.push({ line, error: error.message });
    }
  }
  const names = new Set(declared.map(({ link }) => keyOf(link)));
  for (const before of prunable)
    if (!keysOf(before).some((key) => names.has(key))) plan.steps.push({ action: 'delete', before });
  return plan;
}

/** @throws {AppError} if the link is not ours, or the API would refuse what the file says. */
function stepOf(line: number, link: UpsertLinkInput, before: Link | undefined): Step | null {
  // Also for a link that is new: the second run updates it.
  updateOf(link);
  if (before === undefined) {
    creationOf(link);
    return { action: 'create', line, link };
  }
  if (before.managed_by !== null && before.managed_by !== link.managed_by)
    throw new AppError('invalid', `"slug" ${link.slug} is managed by ${before.managed_by}.`);
  const changes: Changes = {};
  for (const [name, sent] of Object.entries(link)) {
    // The slug and the host are the name.
    if (name === 'slug' || name === 'host') continue;
    const [from, to] = [before[name as keyof Link], shownValue(name, sent)];
    if (!isDeepStrictEqual(from, to)) changes[name] = { from, to };
  }
  return Object.keys(changes).length === 0 ? null : { action: 'change', line, link, before, changes };
}

/** Returns a value as the API shows it. */
function shownValue(name: string, sent: unknown): unknown {
  if (name === 'hashtags') return normalizeHashtags((sent ?? []) as string[]);
  if (name === 'rules') return sent ?? [];
  if (sent === '' || sent === null) return null;
  return name === 'expires_at' ? (timeOfRfc3339(sent as string)?.toISOString() ?? sent) : sent;
}
