import { AppError } from '@waymark/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AccountDocument } from '../database/documents/account.ts';
import type { HostDocument } from '../database/documents/host.ts';
import { AccountDraft, Documents } from './account-draft.ts';
import { decideEach } from './decide-each.ts';

// Changes whose steps write to the drafts of two accounts, and which may fail at any point, also inside one another.

type Step =
  | { kind: 'put' | 'remove'; id: string; value: number }
  | { kind: 'set' | 'count' | 'append' | 'hide' }
  | { kind: 'each'; steps: Decision[] };
interface Decision {
  account: number;
  steps: Step[];
  fails: boolean;
}

const { decision } = fc.letrec<{ decision: Decision; step: Step }>((tie) => ({
  decision: fc.record({
    account: fc.nat({ max: 1 }),
    steps: fc.array(tie('step'), { maxLength: 4 }),
    fails: fc.boolean(),
  }),
  step: fc.oneof(
    { maxDepth: 2 },
    fc.record({ kind: fc.constantFrom('put', 'remove'), id: fc.constantFrom('a', 'b', 'c'), value: fc.nat() }),
    fc.record({ kind: fc.constantFrom('set', 'count', 'append', 'hide') }),
    fc.record({ kind: fc.constant('each'), steps: fc.array(tie('decision'), { maxLength: 3 }) }),
  ) as fc.Arbitrary<Step>,
}));

const RANDOM_ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Returns a copy without random ids, which differ between two runs. */
const withoutRandom = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(RANDOM_ID, 'random'));

function newDrafts() {
  const documents = new Documents();
  documents.hosts.load(['a', 'b', 'c'], [{ _id: 'a', host: 'read' } as HostDocument]);
  const drafts = ['one', 'two'].map((_id) => {
    const account = {
      _id,
      counts: {},
      revision: 1,
      change_id: 'one',
      hidden_change_id: 'one',
    } as unknown as AccountDocument;
    return new AccountDraft(account, documents, new Date(0), 1);
  });
  const state = () => ({
    hosts: ['a', 'b', 'c'].map((id) => documents.hosts.get(id)),
    writes: new Set(documents.hosts.writes(({ _id }) => ({ _id })).map((write) => JSON.stringify(write))),
    accounts: withoutRandom(drafts.map(({ account, events }) => ({ account, events }))),
    writesOfAccounts: withoutRandom(drafts.map((draft) => draft.write())),
  });
  return { documents, drafts, state };
}

/** Runs decisions; without `failing`, those that fail are not even begun. */
function run({ documents, drafts }: ReturnType<typeof newDrafts>, decisions: Decision[], failing: boolean): void {
  const begun = decisions.filter(({ fails }) => failing || !fails);
  const outcomes = decideEach(documents.undo, begun, ({ account, steps, fails }) => {
    const draft = drafts[account]!;
    for (const step of steps) {
      if (step.kind === 'put') documents.hosts.put({ _id: step.id, host: `${step.value}` } as HostDocument);
      else if (step.kind === 'remove') documents.hosts.remove(step.id);
      else if (step.kind === 'set') draft.set({ plan: 'pro' as never });
      else if (step.kind === 'count') draft.count('public', 1);
      else if (step.kind === 'hide') draft.changeHidden();
      else if (step.kind === 'each') run({ documents, drafts } as never, step.steps, failing);
      else draft.append({ type: 'session.ended', actor: {} as never, data: {} });
    }
    if (fails) throw new AppError('invalid', 'refused');
    return true;
  });
  expect(outcomes.map((outcome) => outcome === true)).toEqual(begun.map(({ fails }) => !fails));
}

test('a change that fails leaves the draft as if it had never begun, also one that is part of another', () => {
  fc.assert(
    fc.property(fc.array(decision, { maxLength: 5 }), (decisions) => {
      const [withFailures, without] = [newDrafts(), newDrafts()];
      run(withFailures, decisions, true);
      run(without, decisions, false);
      expect(withFailures.state()).toEqual(without.state());
    }),
    { numRuns: 300 },
  );
});
