import { AppError, type Rule } from '@waymark/contract';
import type { ShortUrls } from './short-urls.ts';

/** The fields that visitors are redirected to, and those that their programs fetch. */
const DESTINATIONS = ['destination_url', 'expired_url', 'root_url', 'not_found_url', 'social_image_url'] as const;
type Destinations = { [Name in (typeof DESTINATIONS)[number]]?: string | null | undefined } & {
  rules?: readonly Pick<Rule, 'to'>[] | null | undefined;
};

/**
 * Checks that no URL of the input is a short URL of this service, on any host, also one that no link has: visitors would go
 * round in circles, and each round would count.
 * @throws {AppError} `invalid`.
 */
export function checkDestinations(input: Destinations, shortUrls: Pick<ShortUrls, 'isShortUrl'>): void {
  const rules = (input.rules ?? []).map(({ to }, n) => [`rules[${n}].to`, to] as const);
  for (const [name, url] of [...DESTINATIONS.map((name) => [name, input[name]] as const), ...rules]) {
    if (typeof url === 'string' && shortUrls.isShortUrl(url))
      throw new AppError(
        'invalid',
        `"${name}" must not be a short URL of this service; send the URL that it leads to.`,
      );
  }
}
