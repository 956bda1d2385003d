import { type Caller, requireAccount } from '@waymark/auth';
import {
  AppError,
  CreateLinkInput,
  ListLinksQuery,
  UpdateLinkInput,
  validator,
  validatorIgnoringNull,
} from '@waymark/contract';
import {
  createLinkInput,
  type Implementation,
  linkListToMessage,
  type linksV1,
  linkToMessage,
  listLinksQuery,
  updateLinkInput,
} from '@waymark/proto';
import type { LinksService } from './links.service.ts';

const checkCreate = validatorIgnoringNull(CreateLinkInput);
const checkUpdate = validator(UpdateLinkInput);
const checkList = validator(ListLinksQuery);
const BATCH_MAX = 1_000;

/**
 * Implements `links.v1.LinksService` for the other services, with the rules of the REST API. Creation has no
 * `Idempotency-Key`.
 */
export function linksRpc(service: LinksService): Implementation<typeof linksV1.LinksService, Caller> {
  return {
    createLink: async (request, { caller }) => {
      const link = await service.create(requireAccount(caller.identity), checkCreate(createLinkInput(request)));
      return { link: linkToMessage(link) };
    },
    getLink: async ({ id }, { caller }) => ({
      link: linkToMessage(await service.get(requireAccount(caller.identity), id)),
    }),
    listLinks: async (request, { caller }) =>
      linkListToMessage(await service.list(requireAccount(caller.identity), checkList(listLinksQuery(request)))),
    updateLink: async (request, { caller }) => {
      const input = checkUpdate(updateLinkInput(request));
      return { link: linkToMessage(await service.update(requireAccount(caller.identity), request.id, input)) };
    },
    deleteLink: async ({ id }, { caller }) => {
      await service.delete(requireAccount(caller.identity), id);
      return {};
    },
    getHiddenLinks: ({ knownRevision }, { caller }) =>
      service.hiddenLinks(requireAccount(caller.identity), knownRevision),
    batchGetLinks: async ({ ids }, { caller }) => {
      if (ids.length > BATCH_MAX) throw new AppError('invalid', `"ids" must have at most ${BATCH_MAX} items.`);
      return { links: (await service.batchGet(requireAccount(caller.identity), ids)).map(linkToMessage) };
    },
  };
}
