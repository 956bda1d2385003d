import {
  AnalyticsQuery,
  CreateLinkInput,
  type DeletedLink,
  GetMeArguments,
  ListLinksQuery,
  type ToolName,
  UpdateLinkInput,
  validatorIgnoringNull,
} from '@waymark/contract';
import {
  accountFromMe,
  analyticsFromMessage,
  analyticsRequest,
  createLinkRequest,
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
}

/** A tool's implementation. It checks the arguments and returns the same JSON as REST. Throws `AppError`. */
export type ToolHandler = (args: Record<string, unknown>, call: Caller) => Promise<object>;

/** Leaves time to respond within the five seconds of a request. */
const SISTER_TIMEOUT_MS = 4_000;

const checkGetMe = validatorIgnoringNull(GetMeArguments);
const checkListLinks = validatorIgnoringNull(ListLinksQuery);
const checkCreateLink = validatorIgnoringNull(CreateLinkInput);
const checkUpdateLink = validatorIgnoringNull(UpdateLinkInput);
const checkGetAnalytics = validatorIgnoringNull(AnalyticsQuery);
// No length limit: an impossible id is simply not found, as in a path.
const checkLinkId = validatorIgnoringNull(Type.Object({ id: Type.String() }, { additionalProperties: false }));

/** Creates one handler for each tool of the contract. */
export function createToolHandlers({ accounts, links, analytics }: ServiceClients): Record<ToolName, ToolHandler> {
  return {
    async get_me(args, call) {
      checkGetMe(args);
      return accountFromMe(await accounts.getMe({}, callOptions(call)));
    },
    async list_links(args, call) {
      const query = checkListLinks(args);
      return linkListFromMessage(await links.listLinks(listLinksRequest(query), callOptions(call)));
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
      return analyticsFromMessage(await analytics.getAnalytics(analyticsRequest(query), callOptions(call)));
    },
  };
}

function callOptions(call: Caller) {
  return { timeoutMs: SISTER_TIMEOUT_MS, requestId: call.requestId, identity: call.identityToken };
}
