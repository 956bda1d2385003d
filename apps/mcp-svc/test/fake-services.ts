import { type Caller, callAuthenticator, createVerifier } from '@waymark/auth';
import {
  type AccountEvent,
  type Analytics,
  type AnalyticsQuery,
  AppError,
  crossEntry,
  crossParts,
  JOB_NOT_FOUND_MESSAGE,
  type Job,
  LINK_NOT_FOUND_MESSAGE,
  type Link,
  linkExample,
} from '@waymark/contract';
import {
  accountsV1,
  analyticsQuery,
  analyticsToMessage,
  analyticsV1,
  bulkOperations,
  bulkResultsToMessage,
  type CallContext,
  createGrpcServer,
  createLinkInput,
  eventListToMessage,
  eventsV1,
  hashtagListToMessage,
  type Implementation,
  jobInput,
  jobsV1,
  jobToMessage,
  linkListToMessage,
  linksV1,
  linkToMessage,
  listEventsQuery,
  listLinksQuery,
  meFromAccount,
  updateLinkInput,
} from '@waymark/proto';

export const SIGNING_KEY = 'a-signing-key-for-tests-only-0123456789';

type AccountsImplementation = Implementation<typeof accountsV1.AccountsService, Caller>;
type LinksImplementation = Implementation<typeof linksV1.LinksService, Caller>;
type JobsImplementation = Implementation<typeof jobsV1.JobsService, Caller>;
type AnalyticsImplementation = Implementation<typeof analyticsV1.AnalyticsService, Caller>;

export interface ServiceOverrides {
  accounts?: Partial<AccountsImplementation>;
  links?: Partial<LinksImplementation>;
  jobs?: Partial<JobsImplementation>;
  events?: Partial<Implementation<typeof eventsV1.EventsService, Caller>>;
  analytics?: Partial<AnalyticsImplementation>;
}

/** A call that links-svc or analytics-svc received. */
export interface SeenCall {
  method: string;
  requestId: string;
  token: string;
  input: unknown;
}

export const LINK: Link = {
  ...linkExample('http://localhost:8080'),
  id: 'l1',
  title: 'Sümmer 😀',
  description: null,
  note: '',
  last_clicked_at: null,
};

export const EVENT: AccountEvent = {
  id: 'e1',
  type: 'link.updated',
  created_at: '2026-11-21T09:30:00.000Z',
  actor: { kind: 'key', scope: 'full_access', hint: '…x9Kd', name: null },
  data: { link: { id: 'l1', hashtags: [] }, changes: { title: { from: null, to: 'Sümmer' }, note: {} } },
};

/** Stands for an image: these bytes are not text. */
export const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff]);
export const JOB: Job = {
  id: 'j1',
  kind: 'edit',
  state: 'running',
  dry_run: false,
  matched: 5,
  done: 3,
  created: 0,
  changed: 1,
  deleted: 0,
  unchanged: 1,
  refused: 1,
  title: '#promo added to links with #spring',
  actor: { kind: 'key', scope: 'full_access', hint: '…x9Kd', name: null },
  created_at: '2026-11-21T00:00:00.000Z',
  finished_at: null,
  undo_until: null,
};

export const DRY_RUN: Job = { ...JOB, id: 'j2', dry_run: true };

/**
 * Starts stand-ins for links-svc and analytics-svc: real gRPC on loopback, real identities, one link. They record their
 * calls. `overrides` replaces methods, and replaced methods record nothing.
 */
export async function startFakeServices(overrides: ServiceOverrides = {}) {
  const seen: SeenCall[] = [];
  let servers = await listen(overrides, seen, { links: 0, analytics: 0 });
  return {
    seen,
    ports: servers.ports,
    /** Stops both and starts them again on the same ports. */
    async restart() {
      await servers.close();
      servers = await listen(overrides, seen, servers.ports);
    },
    close: () => servers.close(),
  };
}

const ALL_PARTS = {
  visitors: 2,
  countries: [{ country: null, clicks: 3 }],
  browsers: [{ browser: 'Firefox', clicks: 3 }],
  operating_systems: [{ os: 'Android', clicks: 3 }],
  referrers: [{ referrer: 'www.example.com', clicks: 3 }],
  hosts: [{ host: null, clicks: 2 }],
  clicks_by_hour: [{ hour: '2026-11-21T00:00:00+05:45', clicks: 3 }],
  previous: { from: '2026-11-20', to: '2026-11-20', clicks: 1 },
};

async function listen(overrides: ServiceOverrides, seen: SeenCall[], ports: { links: number; analytics: number }) {
  const authenticate = callAuthenticator(createVerifier({ current: SIGNING_KEY }));
  const saw = (method: string, input: unknown, { requestId, caller }: CallContext<Caller>) =>
    seen.push({ method, requestId, token: caller.token, input });
  const unexpected = async () => {
    throw new Error('the test did not expect this call');
  };

  const linksServer = createGrpcServer();
  linksServer.addService(
    accountsV1.AccountsService,
    { authenticate },
    {
      getMe: async (_request, context) => {
        saw('getMe', {}, context);
        const { identity } = context.caller;
        if (identity.kind !== 'account') throw new AppError('unauthenticated', 'No.');
        return meFromAccount({ username: identity.username, plan: identity.plan, key_scope: identity.scope });
      },
      resolveKey: unexpected,
      createAccount: unexpected,
      getAccount: unexpected,
      listAccounts: unexpected,
      setPlan: unexpected,
      deleteAccount: unexpected,
      rotateKey: unexpected,
      revokeKey: unexpected,
      createRestrictedKey: unexpected,
      listRestrictedKeys: unexpected,
      deleteRestrictedKey: unexpected,
      resolveSession: unexpected,
      findShortHosts: unexpected,
      createSession: unexpected,
      createSignInOptions: unexpected,
      createPasskeySession: unexpected,
      createPersonSignIn: unexpected,
      createSignInLink: unexpected,
      signOut: unexpected,
      ...overrides.accounts,
    },
  );
  linksServer.addService(
    linksV1.LinksService,
    { authenticate },
    {
      listLinks: async (request, context) => {
        saw('listLinks', listLinksQuery(request), context);
        return linkListToMessage({ links: [LINK], page: request.page, per: request.per, total: 1, total_pages: 1 });
      },
      getQrCode: async ({ id, size }, context) => {
        saw('getQrCode', { id, size }, context);
        if (id !== LINK.id) throw new AppError('not_found', LINK_NOT_FOUND_MESSAGE);
        return { shortUrl: LINK.short_url, png: PNG };
      },
      listHashtags: async (_request, context) => {
        saw('listHashtags', {}, context);
        return hashtagListToMessage({ hashtags: [{ hashtag: 'summer', links: 1, clicks: 3 }] });
      },
      createLink: async (request, context) => {
        saw('createLink', createLinkInput(request), context);
        return { link: linkToMessage(LINK) };
      },
      updateLink: async (request, context) => {
        saw('updateLink', { id: request.id, ...(updateLinkInput(request) as object) }, context);
        if (request.id !== LINK.id) throw new AppError('not_found', LINK_NOT_FOUND_MESSAGE);
        return { link: linkToMessage(LINK) };
      },
      deleteLink: async (request, context) => {
        saw('deleteLink', { id: request.id }, context);
        if (![LINK.id, LINK.slug].includes(request.id)) throw new AppError('not_found', LINK_NOT_FOUND_MESSAGE);
        return { id: LINK.id };
      },
      bulkEditLinks: async (request, context) => {
        const operations = bulkOperations(request);
        saw('bulkEditLinks', { operations }, context);
        return bulkResultsToMessage(
          operations.map((one) =>
            (one as { op: string }).op === 'delete' ? { status: 204 } : { status: 200, link: LINK },
          ),
        );
      },
      getLink: async ({ id }, context) => {
        saw('getLink', { id }, context);
        if (id !== LINK.id) throw new AppError('not_found', LINK_NOT_FOUND_MESSAGE);
        return { link: linkToMessage(LINK) };
      },
      exportLinks: () => {
        throw new Error('the test did not expect this call');
      },
      getHiddenLinks: () => {
        throw new Error('not expected by these tests');
      },
      findLinkIds: () => {
        throw new Error('not expected by these tests');
      },
      findLinkHashtags: () => {
        throw new Error('not expected by these tests');
      },
      batchGetLinks: unexpected,
      ...overrides.links,
    },
  );
  linksServer.addService(
    jobsV1.JobsService,
    { authenticate },
    {
      startJob: async (request, context) => {
        saw('startJob', jobInput(request), context);
        return { job: jobToMessage(JOB) };
      },
      getJob: async ({ id }, context) => {
        saw('getJob', { id }, context);
        if (id === DRY_RUN.id) return { job: jobToMessage(DRY_RUN), refusals: [], examples: [linkToMessage(LINK)] };
        if (id !== JOB.id) throw new AppError('not_found', JOB_NOT_FOUND_MESSAGE);
        return { job: jobToMessage(JOB), refusals: [{ id: LINK.id, reason: 'No.' }] };
      },
      undoJob: async ({ id }, context) => {
        saw('undoJob', { id }, context);
        if (id !== JOB.id) throw new AppError('not_found', JOB_NOT_FOUND_MESSAGE);
        return { job: jobToMessage(JOB) };
      },
      importLinks: unexpected,
      getAccountJob: unexpected,
      getRefusedRows: () => {
        throw new Error('not expected by these tests');
      },
      ...overrides.jobs,
    },
  );
  linksServer.addService(
    eventsV1.EventsService,
    { authenticate },
    {
      listEvents: async (request, context) => {
        saw('listEvents', listEventsQuery(request), context);
        return eventListToMessage({ events: [EVENT], next: EVENT.id });
      },
      listAccountEvents: unexpected,
      ...overrides.events,
    },
  );
  const analyticsServer = createGrpcServer();
  analyticsServer.addService(
    analyticsV1.AnalyticsService,
    { authenticate },
    {
      getAnalytics: async (request, context) => {
        const query = analyticsQuery(request) as AnalyticsQuery;
        const { days: _days, from: _from, to: _to, tz, source, cross, ...echo } = query;
        saw('getAnalytics', query, context);
        const analytics: Analytics = {
          days: 1,
          source: source ?? null,
          tz,
          from: '2026-11-21',
          to: '2026-11-21',
          clicks: 3,
          clicks_by_day: [{ date: '2026-11-21', clicks: 3 }],
          devices: [{ device: 'mobile', clicks: 3 }],
          sources: [{ source: 'direct', clicks: 3 }],
          ...(echo.include !== undefined && ALL_PARTS),
          ...(cross !== undefined && { cross: [crossEntry(crossParts(cross), ['direct', null], 3)] }),
          ...echo,
          top_links: [
            {
              id: LINK.id,
              slug: LINK.slug,
              short_url: LINK.short_url,
              title: LINK.title,
              destination_url: LINK.destination_url,
              clicks: 3,
            },
          ],
        };
        return analyticsToMessage(analytics, cross);
      },
      recordClicks: unexpected,
      getLinkTotals: unexpected,
      purgeLinks: unexpected,
      ...overrides.analytics,
    },
  );
  const linksPort = await linksServer.listen('127.0.0.1', ports.links);
  const analyticsPort = await analyticsServer.listen('127.0.0.1', ports.analytics);
  return {
    ports: { links: linksPort, analytics: analyticsPort },
    close: () => Promise.all([linksServer.close(0), analyticsServer.close(0)]),
  };
}
