import { type Caller, requireService } from '@waymark/auth';
import { AppError, ROLES, type Role } from '@waymark/contract';
import { type accountsV1, type Implementation, timeToMessage } from '@waymark/proto';
import type { SessionsService } from './sessions.service.ts';

type SessionMethods = Pick<
  Implementation<typeof accountsV1.AccountsService, Caller>,
  'resolveSession' | 'createSession' | 'createPersonSignIn' | 'createSignInLink' | 'signOut'
>;

/** Implements the methods of sessions. Only the gateway signs people in, and only the command line makes sign-in links. */
export function sessionsRpc(sessions: SessionsService): SessionMethods {
  return {
    resolveSession: async ({ tokenHash }, { caller }) => {
      requireService(caller.identity, 'gateway');
      return sessions.resolve(tokenHash);
    },
    createSession: async ({ signInTokenHash, verifier }, { caller }) => {
      requireService(caller.identity, 'gateway');
      const { token, expiresAt } = await sessions.createSession(signInTokenHash, verifier);
      return { token, expiresAt: timeToMessage(expiresAt) };
    },
    createPersonSignIn: async ({ issuer: iss, subject: sub, name, grants, plan, challenge }, { caller }) => {
      requireService(caller.identity, 'gateway');
      const granted = grants.map(({ username, role }) => ({ username, role: role as Role }));
      return { token: await sessions.createPersonSignIn({ iss, sub, name, grants: granted, plan, challenge }) };
    },
    createSignInLink: async ({ username, role }, { caller }) => {
      requireService(caller.identity, 'admin');
      const { url, expiresAt } = await sessions.createSignInLink(username, checkRole(role || 'owner'));
      return { url, expiresAt: timeToMessage(expiresAt) };
    },
    signOut: async ({ username }, { caller }) => {
      requireService(caller.identity, 'admin');
      await sessions.signOut(username);
      return {};
    },
  };
}

/**
 * Returns the role if it exists.
 * @throws {AppError} `invalid` otherwise.
 */
function checkRole(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new AppError('invalid', `"role" must be one of ${ROLES.join(', ')}.`);
  return role;
}
