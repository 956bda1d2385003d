import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomRuns } from './support/random-runs.ts';
import { Service, type TestAccount } from './support/service.ts';

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await Service.start();
  account = await service.createAccount();
});
afterAll(() => service.close());

const anyCharacter = fc.oneof(
  fc.integer({ min: 0x20, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
  // Characters whose length or normal form changes when they are folded.
  fc.constantFrom(...'İΣßẞHJTWYǰ\u0344\u0958\ufb2c\u0301\u0323\u0331\u0345'),
);
const text = (bounds: { minLength?: number; maxLength: number }) =>
  fc.string({ unit: anyCharacter.filter((character) => !/[\p{Cc}\p{Cs}]/u.test(character)), ...bounds });
const hashtag = fc
  .string({
    unit: anyCharacter.filter((character) => /[\p{L}\p{M}\p{N}_-]/u.test(character)),
    minLength: 1,
    maxLength: 25,
  })
  .filter((characters) => /\P{M}/u.test(characters));
const link = fc.record({
  destination_url: text({ maxLength: 60 })
    .map((path) => `https://example.com/${path}`)
    .filter((url) => !/\s$/u.test(url)),
  title: text({ minLength: 1, maxLength: 200 }),
  description: text({ minLength: 1, maxLength: 1_000 }),
  note: text({ minLength: 1, maxLength: 5_000 }),
  hashtags: fc.array(hashtag, { maxLength: 20 }),
});

test('an update accepts the response of a creation unchanged, in every text field', async () => {
  await fc.assert(
    fc.asyncProperty(link, async (input) => {
      const created = await service.create(account.live, input);
      expect([created.status, created.body.error]).toEqual([201, undefined]);
      const { slug, destination_url, title, description, note, hashtags } = created.body;
      const again = await service.update(account.live, created.body.id, {
        ...{ slug, destination_url, title, description, note, hashtags },
      });
      expect([again.status, again.body]).toEqual([200, created.body]);
    }),
    { numRuns: randomRuns(30) },
  );
});

test.each([
  ['İ, two code points in lower case', 'İ', 25, 'i̇'],
  ['क़, two code points in normal form', '\u0958', 25, '\u0915\u093c'],
  ['é as a letter and a mark', 'e\u0301', 50, 'é'],
])(
  'a hashtag of 50 code points after folding is accepted, and a longer one gives 422: %s',
  async (_, letter, most, stored) => {
    const destination_url = 'https://example.com/';
    const created = await service.create(account.live, { destination_url, hashtags: [letter.repeat(most)] });
    expect([created.status, created.body.hashtags]).toEqual([201, [stored.repeat(most)]]);
    const again = await service.update(account.live, created.body.id, { hashtags: created.body.hashtags });
    expect([again.status, again.body.hashtags]).toEqual([200, created.body.hashtags]);
    const long = await service.create(account.live, { destination_url, hashtags: [letter.repeat(most + 1)] });
    expect([long.status, long.body.error]).toEqual([422, expect.stringContaining('"hashtags[0]" must be 1 to 50')]);
  },
);
