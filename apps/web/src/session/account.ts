import { queryOptions, useQuery } from '@tanstack/preact-query';
import type { Account } from '@waymark/contract';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { api } from '../api/client.ts';

export const AccountContext = createContext<Account | null>(null);

/** Returns the account that is signed in, or null until it is loaded. */
export function useAccount(): Account | null {
  return useContext(AccountContext);
}

/** How the account is loaded. */
export const ME = queryOptions({ queryKey: ['me'], queryFn: ({ signal }) => api('GET /api/v1/me', { signal }) });

/** Loads the account. */
export function useMe() {
  return useQuery(ME);
}
