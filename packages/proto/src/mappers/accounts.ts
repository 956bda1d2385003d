import { create } from '@bufbuild/protobuf';
import type { Account, Plan, Scope } from '@waymark/contract';
import { type GetMeResponse, GetMeResponseSchema } from '../gen/accounts/v1/accounts_pb.ts';

/** Converts an account of the JSON API to a message. */
export function meFromAccount(account: Account): GetMeResponse {
  return create(GetMeResponseSchema, { username: account.username, plan: account.plan, keyScope: account.key_scope });
}

/** Converts a message back to an account (inverse of {@link meFromAccount}). */
export function accountFromMe(message: GetMeResponse): Account {
  return { username: message.username, plan: message.plan as Plan, key_scope: message.keyScope as Scope };
}
