import type { Account } from '@waymark/contract';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

export const AccountContext = createContext<Account | null>(null);

/** Returns the account that is signed in, or null until it is loaded. */
export function useAccount(): Account | null {
  return useContext(AccountContext);
}
