import Type, { type Static } from 'typebox';
import { oneOf } from '../text.ts';
import { BROWSERS, DEVICES, OPERATING_SYSTEMS } from '../visitors/clients.ts';
import { DESTINATION_MAX_LENGTH } from './destination.ts';

export const RULES_MAX = 20;
/** The most countries of a rule: all that there are, and `unknown`. */
const COUNTRIES_MAX = 260;

function names<const Names extends readonly string[]>(values: Names, what: string, example: Names[number]) {
  return Type.Optional(
    Type.Array(oneOf(values, { description: 'A name of the analytics.' }), {
      minItems: 1,
      maxItems: values.length,
      description: `Visitors with one of these ${what}, as the analytics name them.`,
      examples: [[example]],
    }),
  );
}

function time(description: string, example: string) {
  return Type.Optional(Type.String({ maxLength: 40, format: 'rfc3339', description, examples: [example] }));
}

/** Another destination for some visitors. It fits if all of its conditions hold. */
export const Rule = Type.Object(
  {
    to: Type.String({
      minLength: 1,
      maxLength: DESTINATION_MAX_LENGTH,
      format: 'destination-url',
      description: 'Where these visitors go. It has the rules of `destination_url`.',
      examples: ['https://example.com/app'],
    }),
    device: names(DEVICES, 'devices', 'mobile'),
    os: names(OPERATING_SYSTEMS, 'operating systems', 'iOS'),
    browser: names(BROWSERS, 'browsers', 'Safari'),
    country: Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 7,
          format: 'exact-country',
          description: 'An ISO 3166-1 alpha-2 code, or `unknown`.',
        }),
        {
          minItems: 1,
          maxItems: COUNTRIES_MAX,
          description: 'Visitors from one of these countries; `unknown` if it is not known.',
          examples: [['DE', 'AT']],
        },
      ),
    ),
    language: Type.Optional(
      Type.String({
        pattern: '^[a-z]{2}$',
        description: 'Visitors whose browser asks for this language first: two letters.',
        examples: ['de'],
      }),
    ),
    from: time('From this time on.', '2027-06-01T00:00:00Z'),
    until: time('Before this time.', '2027-09-01T00:00:00Z'),
    share: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'This part of the visitors of a day, in percent: for a day always the same ones.',
        examples: [50],
      }),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 2,
    description: 'Another destination for the visitors for whom all of its conditions hold; it has at least one.',
  },
);
export type Rule = Static<typeof Rule>;
