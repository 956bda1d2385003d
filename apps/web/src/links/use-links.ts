import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/preact-query';
import type { CreateLinkInput, Link, LinkList, UpdateLinkInput } from '@waymark/contract';
import { useCallback } from 'preact/hooks';
import { messageOf, unlessGone } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import { LINK_PAGES, useLinksChanged } from '../api/links-changed.ts';
import { useToast } from '../components/toast.tsx';
import { linkName } from '../short-url.ts';
import { links } from '../texts/links.ts';
import { useLateClicks } from './late-clicks.ts';
import { type LinkView, listQuery } from './link-query.ts';

/** Returns how the page of links of a view is loaded. */
export function linkPage(view: LinkView) {
  const parameters = listQuery(view);
  return queryOptions({
    queryKey: [...LINK_PAGES, parameters],
    queryFn: ({ signal }) => api('GET /api/v1/links', { query: parameters, signal }),
  });
}

/** Loads the page of links of a view. The previous page stays until it is there. Call `onFollow` when a link is followed. */
export function useLinkPage(view: LinkView) {
  const { refetchInterval, watch } = useLateClicks();
  const query = useQuery({
    ...linkPage(view),
    placeholderData: keepPreviousData,
    // A link that was followed in another tab has one more click.
    refetchOnWindowFocus: 'always',
    refetchInterval,
  });
  const { refetch } = query;
  const onFollow = useCallback(() => {
    watch();
    void refetch();
  }, [watch, refetch]);
  return { query, onFollow };
}

export function createLink(body: CreateLinkInput, key: string): Promise<Link> {
  return api('POST /api/v1/links', { headers: { 'Idempotency-Key': key }, body });
}

export function updateLink(id: string, body: UpdateLinkInput): Promise<Link> {
  return api('PUT /api/v1/links/{id}', { path: { id }, body });
}

/** Deletes a link. One that is gone already is deleted, too. */
export async function deleteLink(id: string): Promise<void> {
  await api('DELETE /api/v1/links/{id}', { path: { id } }).catch(unlessGone);
}

/**
 * Returns the function to call after a change, with the new link, or null if it is deleted. The pages show it at once, and
 * are loaded again.
 */
export function useLinkChanged(): (id: string, link: Link | null) => void {
  const queryClient = useQueryClient();
  const changed = useLinksChanged();
  return useCallback(
    (id, link) => {
      queryClient.setQueriesData<LinkList>({ queryKey: LINK_PAGES }, (page) => {
        if (page === undefined) return page;
        const shown = page.links.flatMap((other) => (other.id !== id ? other : (link ?? [])));
        return { ...page, links: shown, total: page.total - (page.links.length - shown.length) };
      });
      changed(link === null ? id : undefined);
    },
    [queryClient, changed],
  );
}

/** Returns the function that archives a link, or brings it back, and offers to undo that. */
export function useArchive(): (link: Link, archived: boolean) => Promise<void> {
  const toast = useToast();
  const changed = useLinkChanged();
  return useCallback(
    async (link, archived) => {
      const set = async (value: boolean) => {
        try {
          changed(link.id, await updateLink(link.id, { archived: value }));
          return true;
        } catch (error) {
          toast({ text: messageOf(error), danger: true });
          return false;
        }
      };
      if (!(await set(archived))) return;
      toast({
        text: (archived ? links.archived : links.unarchived)(linkName(link)),
        verbatim: linkName(link),
        action: { text: links.undo, run: () => void set(!archived) },
      });
    },
    [toast, changed],
  );
}
