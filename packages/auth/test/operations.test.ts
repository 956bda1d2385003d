import { ACTIONS, leastRole, type Need, needOf, OPERATIONS, ROLES, roleMay, TOOL_NAMES } from '@waymark/contract';
import { accountsV1, analyticsV1, clicksV1, eventsV1, hostsV1, jobsV1, linksV1 } from '@waymark/proto';
import { describe, expect, test } from 'vitest';
import { type AccountIdentity, mayDo, requireNeed } from '../src/index.ts';

const SERVICES = [
  accountsV1.AccountsService,
  analyticsV1.AnalyticsService,
  clicksV1.ClicksService,
  eventsV1.EventsService,
  hostsV1.HostsService,
  jobsV1.JobsService,
  linksV1.LinksService,
];
const ADA: AccountIdentity = {
  kind: 'account',
  accountId: 'a1',
  username: 'ada',
  plan: 'developer',
  scope: 'full_access',
};
const NEEDS: readonly Need[] = [...new Set(OPERATIONS.map(({ needs }) => needs))].filter((need) => need !== 'service');

test('the table names every method of gRPC and every tool once, and nothing else', () => {
  const methods = SERVICES.flatMap((service) => service.methods.map(({ name }) => `${service.typeName}/${name}`));
  expect(OPERATIONS.flatMap(({ rpcs = [] }) => rpcs).sort()).toEqual(methods.sort());
  expect(OPERATIONS.flatMap(({ tools = [] }) => tools).sort()).toEqual([...TOOL_NAMES].sort());
});

test('the table names a route once, and an operation that it lacks is a fault', () => {
  const routes = OPERATIONS.flatMap(({ routes = [] }) => routes);
  expect(new Set(routes).size).toBe(routes.length);
  expect(() => needOf('GET /api/v1/nowhere')).toThrow('OPERATIONS does not say what GET /api/v1/nowhere needs');
  expect(needOf('HEAD /api/v1/links')).toBe('read');
});

describe('who may do what', () => {
  test('a key without a restriction and a session without a person may do everything', () => {
    for (const need of NEEDS) expect(mayDo(ADA, need)).toBe(true);
  });

  test.each(ACTIONS)('a restricted key with the action "%s" may do what needs that, and see its account', (action) => {
    const key = { id: 'k1', name: 'agent', actions: [action], hashtag: null, expiresAt: null };
    for (const need of NEEDS) {
      const isAllowed = need === 'account' || [need].flat().includes(action);
      expect([need, mayDo({ ...ADA, key }, need)]).toEqual([need, isAllowed]);
      if (!isAllowed)
        expect(() => requireNeed({ ...ADA, key }, need)).toThrow(/^(This key lacks the action "|A restr)/);
    }
  });

  test('a viewer reads, an editor also changes links, an owner does everything', () => {
    const allowed = ROLES.map((role) => NEEDS.filter((need) => roleMay(role, need)));
    expect(allowed[0]).toEqual(NEEDS.filter((need) => ['account', 'read', 'analytics'].includes(leastNeed(need))));
    expect(allowed[1]).toEqual(NEEDS.filter((need) => need !== 'manage'));
    expect(allowed[2]).toEqual(NEEDS);
    expect(leastRole('manage')).toBe('owner');
    expect(leastRole('service')).toBeNull();
    const person = { name: 'Vera', role: 'viewer' } as const;
    expect(() => requireNeed({ ...ADA, person }, 'update')).toThrow('Your role in this account is viewer');
  });
});

/** Returns the part of a need that asks least. */
function leastNeed(need: Need): string {
  const [first, ...others] = [need].flat();
  return others.find((one) => one === 'analytics' || one === 'read') ?? first!;
}
