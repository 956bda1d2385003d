import { expect, test } from 'vitest';
import { inLabels } from './api-error.ts';

test.each([
  ['"destination_url" must be a URL; you sent "title".', '“Destination URL” must be a URL; you sent "title".'],
  ['"change.add_hashtags[0]" must be text.', '“Hashtags” must be text.'],
  ['"slug" "title" is taken; choose another one.', '“Short link” "title" is taken; choose another one.'],
  [
    '"password" is required for "visibility" password-protected.',
    '“Password” is required for “Visibility” password-protected.',
  ],
  ['"tz" must be a time zone.', '"tz" must be a time zone.'],
  ['Link not found.', 'Link not found.'],
])('%s is shown as %s', (message, shown) => {
  expect(inLabels(message)).toBe(shown);
});
