import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Account, Action, Plan, RestrictedKey, Role, Scope } from '@waymark/contract';
import {
  type GetMeResponse,
  GetMeResponseSchema,
  type KeyRestriction,
  type Person,
  type RestrictedKey as RestrictedKeyMessage,
  type RestrictedKeySchema,
} from '../gen/accounts/v1/accounts_pb.ts';
import { textOfTime, timeOfText } from './time.ts';

/** Converts an account of the JSON API to a message. */
export function meFromAccount({ username, plan, key_scope, key, person }: Account): GetMeResponse {
  return create(GetMeResponseSchema, {
    username,
    plan,
    keyScope: key_scope,
    ...(key !== undefined && {
      key: restrictionToMessage({ ...key, id: '', expiresAt: key.expires_at }),
    }),
    ...(person !== undefined && { person }),
  });
}

/** Converts a message back to an account (inverse of {@link meFromAccount}). */
export function accountFromMe({ username, plan, keyScope, key, person }: GetMeResponse): Account {
  const account = { username, plan: plan as Plan, key_scope: keyScope as Scope };
  if (person !== undefined) return { ...account, person: personFromMessage(person) };
  if (key === undefined) return account;
  const { name, actions, hashtag, expiresAt } = restrictionFromMessage(key);
  return { ...account, key: { name, actions, hashtag, expires_at: expiresAt } };
}

/** What a restricted key may do, as services tell each other. `expiresAt` is RFC 3339. */
export interface Restriction {
  id: string;
  name: string;
  actions: readonly Action[];
  hashtag: string | null;
  expiresAt: string | null;
}

/** Converts what a restricted key may do to a message. */
export function restrictionToMessage({ id, name, actions, hashtag, expiresAt }: Restriction) {
  return {
    id,
    name,
    actions: [...actions],
    ...(hashtag !== null && { hashtag }),
    ...(expiresAt !== null && { expiresAt: timeOfText(expiresAt) }),
  };
}

/** Converts a message back to what a restricted key may do (inverse of {@link restrictionToMessage}). */
export function restrictionFromMessage({ id, name, actions, hashtag, expiresAt }: KeyRestriction) {
  return {
    id,
    name,
    actions: actions as Action[],
    hashtag: hashtag ?? null,
    expiresAt: expiresAt === undefined ? null : textOfTime(expiresAt),
  };
}

/** Converts a message to the person of a session. */
export function personFromMessage({ name, role }: Person): { name: string; role: Role } {
  return { name, role: role as Role };
}

/** Converts a restricted key of the JSON API to a message. */
export function restrictedKeyToMessage(key: RestrictedKey): MessageInitShape<typeof RestrictedKeySchema> {
  const { scope, hint, created_at, last_used_at, expires_at: expiresAt, ...restriction } = key;
  return {
    restriction: restrictionToMessage({ ...restriction, expiresAt }),
    scope,
    hint,
    createdAt: timeOfText(created_at),
    ...(last_used_at !== null && { lastUsedAt: timeOfText(last_used_at) }),
  };
}

/** Converts a message back to a restricted key (inverse of {@link restrictedKeyToMessage}). */
export function restrictedKeyFromMessage(message: RestrictedKeyMessage): RestrictedKey {
  const { restriction, scope, hint, createdAt, lastUsedAt } = message;
  const { expiresAt, ...rest } = restrictionFromMessage(restriction!);
  return {
    ...rest,
    scope: scope as Scope,
    hint,
    expires_at: expiresAt,
    created_at: textOfTime(createdAt!),
    last_used_at: lastUsedAt === undefined ? null : textOfTime(lastUsedAt),
  };
}
