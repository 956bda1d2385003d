import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { StoredSecret, WebhookDocument } from '../database/documents/webhook.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_LENGTH = 16;

interface EncryptionKey {
  id: string;
  key: Buffer;
}

/** The secrets of webhooks. At rest, they are encrypted with keys that are derived from the signing keys. */
export class WebhookSecrets {
  readonly #keys: readonly [EncryptionKey, ...EncryptionKey[]];

  /** The first signing key encrypts. The others decrypt, too. */
  constructor(signingKeys: readonly [string, ...string[]]) {
    this.#keys = signingKeys.map(encryptionKey) as [EncryptionKey, ...EncryptionKey[]];
  }

  /** The id of the key that encrypts. */
  get keyId(): string {
    return this.#keys[0].id;
  }

  /** Returns a new secret as clients see it (https://www.standardwebhooks.com). */
  create(): string {
    return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  }

  /** Returns a secret as it is stored. */
  encrypt(webhookId: string, secret: string, until: Date | null): StoredSecret {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#keys[0].key, iv).setAAD(Buffer.from(webhookId));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return { ciphertext: Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64'), until };
  }

  /** Returns the secrets that sign at a time, or null if no signing key of this service decrypts them. */
  decrypt(webhook: Pick<WebhookDocument, '_id' | 'key_id' | 'secrets'>, now: Date): DecryptedSecret[] | null {
    const encryption = this.#keys.find(({ id }) => id === webhook.key_id);
    if (encryption === undefined) return null;
    return webhook.secrets
      .filter(({ until }) => until === null || until > now)
      .map(({ ciphertext, until }) => {
        const bytes = Buffer.from(ciphertext, 'base64');
        const decipher = createDecipheriv('aes-256-gcm', encryption.key, bytes.subarray(0, IV_BYTES));
        decipher.setAAD(Buffer.from(webhook._id)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
        return { secret: text.toString(), until };
      });
  }
}

export interface DecryptedSecret {
  secret: string;
  until: Date | null;
}

/** Returns the headers of a delivery, as Standard Webhooks has them. Every secret signs. */
export function signedHeaders(
  secrets: readonly DecryptedSecret[],
  id: string,
  now: Date,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = secrets.map(({ secret }) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

function encryptionKey(signingKey: string): EncryptionKey {
  const derive = (info: string) => Buffer.from(hkdfSync('sha256', signingKey, '', info, 32));
  return {
    id: derive('waymark webhook secret key id').toString('hex').slice(0, KEY_ID_LENGTH),
    key: derive('waymark webhook secret'),
  };
}
