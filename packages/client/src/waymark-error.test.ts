import { expect, test } from 'vitest';
import { WaymarkError } from './waymark-error.ts';

test.each([
  [422, '"slug" is taken.', 'slug'],
  [422, '"hashtags[3]" must be text.', 'hashtags'],
  [422, '"change.add_hashtags[0]" must be text.', 'add_hashtags'],
  [422, 'The request must be a JSON object.', null],
  [403, '"password" needs the other key.', null],
])('the field of %s %s is %s', (status, message, field) => {
  expect(new WaymarkError(status, message).field).toBe(field);
});
