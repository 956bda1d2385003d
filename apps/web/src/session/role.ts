import type { Role } from '@waymark/contract';
import { readSessionState, subscribeToSession } from '../api/session-store.ts';
import { useExternalValue } from '../external-value.ts';

const readRole = () => readSessionState().owner?.role;

/** Returns the role of the person whose session it is, or undefined if it is not that of a person of a provider. */
export function useRole(): Role | undefined {
  return useExternalValue(subscribeToSession, readRole);
}

/** Returns true if links can be changed. The page does not offer what the server would refuse. */
export const mayEdit = (role: Role | undefined) => role !== 'viewer';

/** Returns true if the account can be managed. */
export const mayManage = (role: Role | undefined) => mayEdit(role) && role !== 'editor';
