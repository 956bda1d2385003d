import { type Caller, requireService } from '@waymark/auth';
import { fieldsOf } from '@waymark/contract';
import { type accountsV1, type Implementation, timeToMessage } from '@waymark/proto';
import type { PasskeysService } from './passkeys.service.ts';

type PasskeyMethods = Pick<
  Implementation<typeof accountsV1.AccountsService, Caller>,
  'createSignInOptions' | 'createPasskeySession'
>;

/** Implements the methods that sign people in with a passkey, for the gateway only. */
export function passkeysRpc(passkeys: PasskeysService): PasskeyMethods {
  return {
    createSignInOptions: async (_request, { caller }) => {
      requireService(caller.identity, 'gateway');
      return { optionsJson: JSON.stringify(await passkeys.requestOptions()) };
    },
    createPasskeySession: async ({ responseJson }, { caller }) => {
      requireService(caller.identity, 'gateway');
      const { token, expiresAt } = await passkeys.signIn(fieldsOf(JSON.parse(responseJson)));
      return { token, expiresAt: timeToMessage(expiresAt) };
    },
  };
}
