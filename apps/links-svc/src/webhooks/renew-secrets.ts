import type { WebhookSecrets } from './webhook-secrets.ts';
import type { WebhooksStore } from './webhooks.store.ts';

export interface RenewSecretsDeps {
  webhooks: Pick<WebhooksStore, 'encryptedWithOther' | 'setSecrets'>;
  secrets: WebhookSecrets;
  now: () => number;
}

/**
 * Encrypts secrets with the current key that another one encrypts, so that they outlive it. Those that no key of this
 * service decrypts stay as they are.
 */
export async function renewSecrets({ webhooks, secrets, now }: RenewSecretsDeps, ending: AbortSignal): Promise<void> {
  for await (const some of webhooks.encryptedWithOther(secrets.keyId)) {
    for (const webhook of some) {
      if (ending.aborted) return;
      const decrypted = secrets.decrypt(webhook, new Date(now()));
      if (decrypted === null) continue;
      const stored = decrypted.map(({ secret, until }) => secrets.encrypt(webhook._id, secret, until));
      await webhooks.setSecrets(webhook, { secrets: stored, key_id: secrets.keyId });
    }
  }
}
