import { type Caller, requireAccount } from '@waymark/auth';
import {
  AppError,
  BulkInput,
  CreateLinkInput,
  checkOperations,
  ListLinksQuery,
  QrQuery,
  REST_CHECKS,
  UpdateLinkInput,
  validator,
  validatorIgnoringNull,
} from '@waymark/contract';
import {
  bulkOperations,
  bulkResultsToMessage,
  createLinkInput,
  hashtagListToMessage,
  type Implementation,
  linkListToMessage,
  type linksV1,
  linkToMessage,
  listLinksQuery,
  updateLinkInput,
} from '@waymark/proto';
import type { Logger } from '@waymark/service-kit';
import type { AccountsService } from './accounts/accounts.service.ts';
import type { BulkEdits } from './bulk/bulk-edits.service.ts';
import type { HashtagsService } from './hashtags/hashtags.service.ts';
import type { LinkCreations } from './links/link-creations.service.ts';
import type { LinksService } from './links/links.service.ts';
import type { LinksForAnalytics } from './links/links-for-analytics.ts';
import type { ListsService } from './lists/lists.service.ts';
import type { QrCodes } from './qr-codes/qr-codes.ts';
import { exportRpc } from './transfer/export.rpc.ts';

const checkCreate = validatorIgnoringNull(CreateLinkInput);
const checkUpdate = validator(UpdateLinkInput);
const checkBulk = validator(BulkInput);
const checkList = validator(ListLinksQuery);
const checkQr = validator(QrQuery);
const BATCH_MAX = 1_000;

export interface LinksRpcDeps {
  service: LinksService;
  analytics: LinksForAnalytics;
  lists: ListsService;
  hashtags: HashtagsService;
  creations: LinkCreations;
  bulkEdits: BulkEdits;
  qrCodes: QrCodes;
  accounts: AccountsService;
  logger: Logger;
}

/**
 * Implements `links.v1.LinksService` for the other services, with the rules of the REST API. Creations and bulk edits have no
 * `Idempotency-Key`.
 */
export function linksRpc({
  service,
  analytics,
  lists,
  hashtags,
  creations,
  bulkEdits,
  qrCodes,
  accounts,
  logger,
}: LinksRpcDeps): Implementation<typeof linksV1.LinksService, Caller> {
  return {
    createLink: async (request, { caller }) => {
      const link = await creations.create(requireAccount(caller.identity), checkCreate(createLinkInput(request)));
      return { link: linkToMessage(link) };
    },
    getLink: async ({ id }, { caller }) => {
      const { link, clicksId } = await service.getWithClicksId(requireAccount(caller.identity), id);
      return { link: linkToMessage(link), clicksId };
    },
    listLinks: async (request, { caller }) =>
      linkListToMessage(await lists.list(requireAccount(caller.identity), checkList(listLinksQuery(request)))),
    getQrCode: async ({ id, size }, { caller }) => {
      const query = checkQr({ format: 'png', ...(size !== 0 && { size }) });
      const identity = requireAccount(caller.identity);
      const link = await service.get(identity, id);
      const { body } = await qrCodes.image(identity.accountId, link, query);
      return { shortUrl: link.short_url, png: body as Uint8Array };
    },
    listHashtags: async (_, { caller }) => hashtagListToMessage(await hashtags.list(requireAccount(caller.identity))),
    updateLink: async (request, { caller }) => {
      const input = checkUpdate(updateLinkInput(request));
      return { link: linkToMessage(await service.update(requireAccount(caller.identity), request.id, input)) };
    },
    deleteLink: async ({ id }, { caller }) => ({ id: await service.delete(requireAccount(caller.identity), id) }),
    bulkEditLinks: async (request, { caller, requestId }) => {
      const { operations } = checkBulk({ operations: bulkOperations(request) });
      const onFailure = (error: AppError) =>
        logger.error({ err: error.cause ?? error, requestId }, 'an operation of a bulk edit failed');
      const identity = requireAccount(caller.identity);
      return bulkResultsToMessage(
        await bulkEdits.edit(identity, checkOperations(operations, REST_CHECKS), { onFailure }),
      );
    },
    ...exportRpc({ lists, accounts }),
    getHiddenLinks: ({ knownRevision }, { caller }) =>
      analytics.hiddenLinks(requireAccount(caller.identity), knownRevision),
    findLinkIds: ({ hashtag }, { caller }) => analytics.idsWithHashtag(requireAccount(caller.identity), hashtag),
    findLinkHashtags: ({ hashtag }, { caller }) => analytics.hashtagsOfLinks(requireAccount(caller.identity), hashtag),
    batchGetLinks: async ({ ids }, { caller }) => {
      if (ids.length > BATCH_MAX) throw new AppError('invalid', `"ids" must have at most ${BATCH_MAX} items.`);
      const found = await service.findByClicksIds(requireAccount(caller.identity), ids);
      return { links: found.map(({ link }) => linkToMessage(link)), clicksIds: found.map(({ clicksId }) => clicksId) };
    },
  };
}
