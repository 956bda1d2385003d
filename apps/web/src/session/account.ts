import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { components } from '../api/api.gen.ts';

export type Account = components['schemas']['Account'];

export const AccountContext = createContext<Account | null>(null);

/** Returns the account that is signed in, or null until it is loaded. */
export function useAccount(): Account | null {
  return useContext(AccountContext);
}
