import { createContext, useContext } from 'react';
import type { components } from '../api/api.gen.ts';

export type Account = components['schemas']['Account'];

export const AccountContext = createContext<Account | null>(null);

/** Returns the account that is signed in. Only for components below `SessionGate`. */
export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (account === null) throw new Error('useAccount is used outside SessionGate.');
  return account;
}
