/** What a restricted key may be allowed to do, and what the roles of people differ in. */
export const ACTIONS = ['read', 'create', 'update', 'delete', 'analytics'] as const;
export type Action = (typeof ACTIONS)[number];

/** The roles of people who sign in at an OpenID provider, from the least to the most. */
export const ROLES = ['viewer', 'editor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/**
 * What an operation needs: nothing but an account, one of several actions (what it does exactly decides which), the
 * management of the account, or a service that acts on its own behalf.
 */
export type Need = 'account' | Action | readonly Action[] | 'manage' | 'service';

/** What the people of a role may do. */
const ALLOWED: Record<Role, readonly (Action | 'manage')[]> = {
  viewer: ['read', 'analytics'],
  editor: ACTIONS,
  owner: [...ACTIONS, 'manage'],
};

/** Returns true if the people of a role may do what has this need. */
export function roleMay(role: Role, need: Need): boolean {
  return isMetBy(need, ALLOWED[role]);
}

/** Returns true if whoever has these actions, and no others, may do what has this need. */
export function isMetBy(need: Need, allowed: readonly (Action | 'manage')[]): boolean {
  if (need === 'account') return true;
  if (need === 'service') return false;
  return [need].flat().some((one) => allowed.includes(one));
}

/** Returns the least role whose people may do what has this need, or null if only a service may. */
export function leastRole(need: Need): Role | null {
  return ROLES.find((role) => roleMay(role, need)) ?? null;
}
