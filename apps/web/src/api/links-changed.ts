import { useQueryClient } from '@tanstack/preact-query';
import { useCallback } from 'preact/hooks';

/** Returns the function to call after links changed: every list and figure is loaded again. */
export function useLinksChanged(): () => Promise<void> {
  const queryClient = useQueryClient();
  return useCallback(async () => {
    await Promise.all(['links', 'analytics'].map((noun) => queryClient.invalidateQueries({ queryKey: [noun] })));
  }, [queryClient]);
}
