import type { AccountIdentity } from '@waymark/auth';
import {
  AppError,
  type BulkOperation,
  type BulkResult,
  type BulkToolResults,
  checkOperations,
  type DeletedLink,
  failedResult,
  type JobResult,
  LINK_ID_HINT,
  type LinkQrCode,
  noticeOf,
  shortenName,
  TOOL_CHECKS,
  TOOL_INPUTS,
  type ToolName,
  withAnalyticsFields,
  withFields,
  withLinkFields,
} from '@waymark/contract';
import {
  accountFromMe,
  analyticsFromMessage,
  analyticsRequest,
  bulkEditLinksRequest,
  bulkResultsFromMessage,
  createLinkRequest,
  eventListFromMessage,
  hashtagListFromMessage,
  jobFromMessage,
  linkFromMessage,
  linkListFromMessage,
  listEventsRequest,
  listLinksRequest,
  startJobRequest,
  updateLinkRequest,
} from '@waymark/proto';
import { callTimeMs, REQUEST_MAX_MS } from '@waymark/service-kit';
import type { FastifyBaseLogger } from 'fastify';
import type { ServiceClients } from '../service-clients.ts';
import { withFirstEvents } from './short-events.ts';
import { type Shown, withFirstOf, withShortLists, withShortTexts } from './short-texts.ts';

/** The caller of a tool and the request of the call. */
export interface Caller {
  identity: AccountIdentity;
  /** The signed form of `identity`, forwarded to the other services. */
  identityToken: string;
  requestId: string;
  log: FastifyBaseLogger;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** Called with the seconds after which a call that failed may be repeated, for `Retry-After`. */
  onWait(seconds: number): void;
}

/** What a tool returns: the same JSON as REST, and maybe an image with it. */
export interface ToolResult {
  json: object;
  png?: Uint8Array;
}

/** A tool's implementation. It checks the arguments. Throws `AppError`. */
export type ToolHandler = (args: Record<string, unknown>, call: Caller) => Promise<ToolResult>;

/** Creates one handler for each tool of the contract. */
export function createToolHandlers({
  accounts,
  links,
  jobs,
  events,
  analytics,
}: ServiceClients): Record<ToolName, ToolHandler> {
  return {
    async get_me(args, call) {
      checkNoArguments(args);
      return { json: accountFromMe(await accounts.getMe({}, readOptions(call))) };
    },
    async list_links(args, call) {
      const query = TOOL_INPUTS.list_links(args);
      const list = linkListFromMessage(await links.listLinks(listLinksRequest(query), readOptions(call)));
      const listed = withFields(list.links, query.fields);
      return { json: withShortTexts((shown) => ({ ...list, links: listed.map(shown) })) };
    },
    async get_link(args, call) {
      const { id, fields } = TOOL_INPUTS.get_link(args);
      const link = linkFromMessage((await links.getLink({ id }, readOptions(call))).link);
      return { json: withFields([link], fields)[0]! };
    },
    async create_link(args, call) {
      const input = TOOL_INPUTS.create_link(args);
      return { json: linkFromMessage((await links.createLink(createLinkRequest(input), callOptions(call))).link) };
    },
    async update_link(args, call) {
      const { id, ...input } = TOOL_INPUTS.update_link(args);
      return { json: linkFromMessage((await links.updateLink(updateLinkRequest(id, input), callOptions(call))).link) };
    },
    async delete_link(args, call) {
      const { id } = await links.deleteLink(TOOL_INPUTS.delete_link(args), callOptions(call));
      return { json: { id, deleted: true } satisfies DeletedLink };
    },
    async get_analytics(args, call) {
      const query = TOOL_INPUTS.get_analytics(args);
      const answer = await analytics.getAnalytics(analyticsRequest(query), readOptions(call));
      const asked = withAnalyticsFields(analyticsFromMessage(answer));
      const topLinks = (shown: Shown) => asked.top_links && { top_links: asked.top_links.map(shown) };
      const short = withShortTexts((shown) => ({ ...asked, ...topLinks(shown) }));
      return { json: withShortLists(short, ['clicks_by_day', 'clicks_by_hour']) };
    },
    async bulk_edit_links(args, call) {
      const input = TOOL_INPUTS.bulk_edit_links(args);
      const operations = checkOperations(input.operations, TOOL_CHECKS);
      const valid = operations.filter((one): one is BulkOperation => !(one instanceof AppError));
      const done =
        valid.length === 0
          ? []
          : bulkResultsFromMessage(await links.bulkEditLinks(bulkEditLinksRequest(valid), callOptions(call)));
      const results = operations.map((one) => (one instanceof AppError ? failedResult(one) : done.shift()!));
      const whole = withLinkFields(results, input.fields).map(withIdHint);
      return { json: withShortTexts<BulkToolResults>((shown) => ({ results: whole.map(resultOf(shown)) })) };
    },
    async get_qr_code(args, call) {
      const { shortUrl, png } = await links.getQrCode(TOOL_INPUTS.get_qr_code(args), readOptions(call));
      return { json: { short_url: shortUrl } satisfies LinkQrCode, png };
    },
    async edit_links(args, call) {
      const request = startJobRequest(TOOL_INPUTS.edit_links(args));
      const { job } = await jobs.startJob(request, callOptions(call));
      return { json: jobFromMessage(job) };
    },
    async get_job(args, call) {
      const answer = await jobs.getJob(TOOL_INPUTS.get_job(args), readOptions(call));
      const job = jobFromMessage(answer.job);
      const refusals = answer.refusals.map(({ id, reason }) => ({ id, reason }));
      const examples = answer.examples.map(linkFromMessage);
      return {
        json: withShortTexts<JobResult>((shown) => ({
          ...shown(job),
          refusals: refusals.map(shown),
          ...(job.dry_run && { examples: examples.map(shown) }),
        })),
      };
    },
    async undo_job(args, call) {
      const { job } = await jobs.undoJob(TOOL_INPUTS.undo_job(args), callOptions(call));
      return { json: jobFromMessage(job) };
    },
    async list_hashtags(args, call) {
      checkNoArguments(args);
      const list = hashtagListFromMessage(await links.listHashtags({}, readOptions(call)));
      return {
        json: withFirstOf(list.hashtags, (hashtags, cut) => ({ ...list, hashtags, ...noticeOf([list.notice, cut]) })),
      };
    },
    async list_events(args, call) {
      const query = TOOL_INPUTS.list_events(args);
      const list = eventListFromMessage(await events.listEvents(listEventsRequest(query), readOptions(call)));
      return { json: withFirstEvents(list) };
    },
  };
}

/** Refuses the arguments of a tool that has none. */
function checkNoArguments(args: Record<string, unknown>): void {
  const [name] = Object.keys(args);
  if (name === undefined) return;
  throw new AppError('invalid', `"${shortenName(name)}" is not a known field; this tool takes no arguments.`);
}

/** Adds to the error of a missing link how to find it. */
function withIdHint(result: BulkResult): BulkResult {
  return result.status === 404 ? { ...result, error: `${result.error} ${LINK_ID_HINT}` } : result;
}

function resultOf(shown: Shown): (result: BulkResult) => BulkResult {
  return (result) => ({ ...shown(result), ...(result.link !== undefined && { link: shown(result.link) }) });
}

/** Reads end when the client disconnects. A change must not. */
function readOptions(call: Caller) {
  return { ...callOptions(call), signal: call.signal };
}

function callOptions(call: Caller) {
  return { timeoutMs: callTimeMs(REQUEST_MAX_MS), requestId: call.requestId, identity: call.identityToken };
}
