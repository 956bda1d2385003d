import { isUsername, ROLES, type Role } from '@waymark/contract';
import type { Format } from '@waymark/service-kit';

/** What the people of a group may do in an account. */
export interface AccessRule {
  /** `*` is everybody who can sign in. */
  group: string;
  username: string;
  role: Role;
}

/** What a person may do in an account. */
export type Grant = Omit<AccessRule, 'group'>;

/** The form of an entry of `OIDC_ACCESS`. */
export const ACCESS_RULE: Format = {
  words: `GROUP=ACCOUNT:ROLE, such as marketing=acme:editor, where GROUP may be * for everybody and ROLE is one of ${ROLES.join(', ')}`,
  test: (text) => parseAccessRule(text) !== null,
};

/** Returns the rule of an entry of `OIDC_ACCESS`, or null if the text is not valid. The name of a group may contain `=` and `:`. */
export function parseAccessRule(text: string): AccessRule | null {
  const [, group = '', username = '', name = ''] = /^(.+)=([^=:]+):([^=:]+)$/.exec(text) ?? [];
  const role = ROLES.find((one) => one === name);
  return role === undefined || !isUsername(username) ? null : { group, username, role };
}

/**
 * Returns what a person of these groups may do, in the order of the rules: one grant of each account, with the highest of
 * its roles.
 */
export function grantsOf(rules: readonly AccessRule[], groups: readonly string[]): Grant[] {
  const grants = new Map<string, Grant>();
  for (const { group, username, role } of rules) {
    if (group !== '*' && !groups.includes(group)) continue;
    const account = username.toLowerCase();
    const known = grants.get(account);
    if (known === undefined) grants.set(account, { username, role });
    else if (ROLES.indexOf(role) > ROLES.indexOf(known.role)) known.role = role;
  }
  return [...grants.values()];
}
