import { isIP } from 'node:net';
import { AppError } from '@waymark/contract';
import { type AddressFilter, createAddressFilter, createNetworkFilter } from '../guarded-fetch/public-address.ts';

/** Where webhooks may lead: by https to public addresses, and by https and http to the networks of WEBHOOK_ALLOW. */
export class WebhookAddresses {
  /** The addresses that each scheme may connect to. */
  readonly filters: { 'https:': AddressFilter; 'http:': AddressFilter };
  readonly #allowsHttp: boolean;

  /** @throws on a malformed network. */
  constructor(allow: readonly string[]) {
    this.filters = { 'https:': createAddressFilter(allow), 'http:': createNetworkFilter(allow) };
    this.#allowsHttp = allow.length > 0;
  }

  /**
   * Checks the URL of a webhook, as far as it can be without a look at DNS.
   * @throws {AppError} `invalid`.
   */
  check(url: string): void {
    const { protocol, hostname } = new URL(url);
    if (protocol !== 'https:' && !this.#allowsHttp) throw new AppError('invalid', '"url" must be an https URL.');
    const literal = hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !this.filters[protocol as 'https:' | 'http:'](literal))
      throw new AppError('invalid', '"url" must be an https URL on a public address.');
  }
}
