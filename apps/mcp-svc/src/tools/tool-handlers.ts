import {
  AnalyticsQuery,
  AppError,
  BULK_BEGIN_WITHIN_MS,
  BulkInput,
  type BulkOperation,
  type BulkResult,
  CreateLinkInput,
  checkOperations,
  type DeletedLink,
  failedResult,
  LINK_ID_HINT,
  ListLinksQuery,
  shortenName,
  TOOL_CHECKS,
  type ToolName,
  UpdateLinkInput,
  validatorIgnoringNull,
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
  hashtagListFromMessage,
  linkFromMessage,
  linkListFromMessage,
  listLinksRequest,
  updateLinkRequest,
} from '@waymark/proto';
import type { FastifyBaseLogger } from 'fastify';
import Type from 'typebox';
import type { ServiceClients } from '../service-clients.ts';

/** The caller of a tool and the request of the call. */
export interface Caller {
  /** The caller's signed identity, forwarded to the other services. */
  identityToken: string;
  requestId: string;
  log: FastifyBaseLogger;
  /** Aborts when the client has gone. */
  signal: AbortSignal;
}

/** A tool's implementation. It checks the arguments and returns the same JSON as REST. Throws `AppError`. */
export type ToolHandler = (args: Record<string, unknown>, call: Caller) => Promise<object>;

/** Leaves time to respond within the five seconds of a request. */
const SERVICE_TIMEOUT_MS = 4_000;
/** Leaves a second to the last operation. */
const BULK_TIMEOUT_MS = BULK_BEGIN_WITHIN_MS + 1_000;

const checkListLinks = validatorIgnoringNull(ListLinksQuery);
const checkCreateLink = validatorIgnoringNull(CreateLinkInput);
const checkUpdateLink = validatorIgnoringNull(UpdateLinkInput);
const checkBulkEdit = validatorIgnoringNull(BulkInput);
const checkGetAnalytics = validatorIgnoringNull(AnalyticsQuery);
// No length limit: an impossible id is simply not found, as in a path.
const checkLinkId = validatorIgnoringNull(Type.Object({ id: Type.String() }, { additionalProperties: false }));

/** Creates one handler for each tool of the contract. */
export function createToolHandlers({ accounts, links, analytics }: ServiceClients): Record<ToolName, ToolHandler> {
  return {
    async get_me(args, call) {
      checkNoArguments(args);
      return accountFromMe(await accounts.getMe({}, readOptions(call)));
    },
    async list_links(args, call) {
      const query = checkListLinks(args);
      const list = linkListFromMessage(await links.listLinks(listLinksRequest(query), readOptions(call)));
      return { ...list, links: withFields(list.links, query.fields) };
    },
    async create_link(args, call) {
      const input = checkCreateLink(args);
      return linkFromMessage((await links.createLink(createLinkRequest(input), callOptions(call))).link);
    },
    async update_link({ id: sentId, ...fields }, call) {
      const { id } = checkLinkId({ id: sentId });
      const input = checkUpdateLink(fields);
      return linkFromMessage((await links.updateLink(updateLinkRequest(id, input), callOptions(call))).link);
    },
    async delete_link(args, call) {
      const { id } = checkLinkId(args);
      await links.deleteLink({ id }, callOptions(call));
      return { id, deleted: true } satisfies DeletedLink;
    },
    async get_analytics(args, call) {
      const query = checkGetAnalytics(args);
      return analyticsFromMessage(await analytics.getAnalytics(analyticsRequest(query), readOptions(call)));
    },
    async bulk_edit_links(args, call) {
      const input = checkBulkEdit(args);
      const operations = checkOperations(input.operations, TOOL_CHECKS);
      const valid = operations.filter((one): one is BulkOperation => !(one instanceof AppError));
      const done =
        valid.length === 0
          ? []
          : bulkResultsFromMessage(await links.bulkEditLinks(bulkEditLinksRequest(valid), bulkOptions(call)));
      const results = operations.map((one) => (one instanceof AppError ? failedResult(one) : done.shift()!));
      return { results: withLinkFields(results, input.fields).map(withIdHint) };
    },
    async list_hashtags(args, call) {
      checkNoArguments(args);
      return hashtagListFromMessage(await links.listHashtags({}, readOptions(call)));
    },
  };
}

/** Refuses the arguments of a tool that has none. */
function checkNoArguments(args: Record<string, unknown>): void {
  const [name] = Object.keys(args);
  if (name === undefined) return;
  throw new AppError('invalid', `"${shortenName(name)}" is not a known field; this tool takes no arguments.`);
}

/** Adds to a missing link where ids come from, since models often send slugs. */
function withIdHint(result: BulkResult): BulkResult {
  return result.status === 404 ? { ...result, error: `${result.error} ${LINK_ID_HINT}` } : result;
}

/** Reads are given up when the client has gone. A change must not depend on that. */
function readOptions(call: Caller) {
  return { ...callOptions(call), signal: call.signal };
}

function bulkOptions(call: Caller) {
  return { ...callOptions(call), timeoutMs: BULK_TIMEOUT_MS };
}

function callOptions(call: Caller) {
  return { timeoutMs: SERVICE_TIMEOUT_MS, requestId: call.requestId, identity: call.identityToken };
}
