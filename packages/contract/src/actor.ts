import Type, { type Static, type TUnsafe } from 'typebox';
import { oneOf } from './text.ts';

export const ACTOR_KINDS = ['key', 'session', 'admin', 'system'] as const;

/** Who did something. */
export const Actor = Type.Object(
  {
    kind: oneOf(ACTOR_KINDS, {
      description: 'A key, a session of the dashboard, the command line, or the service itself.',
      examples: ['key'],
    }),
    scope: nullableString('The scope of the key.', 'full_access'),
    hint: nullableString('The last characters of the key.', '…x9Kd'),
    name: nullableString('The name of the key, if it has one.', null),
  },
  { additionalProperties: false },
);
export type Actor = Static<typeof Actor>;

/** Returns the schema of an actor or null. */
export function nullableActor(description: string): TUnsafe<Actor | null> {
  return Type.Unsafe<Actor | null>({
    ...Actor,
    type: ['object', 'null'],
    description,
    examples: [{ kind: 'key', scope: 'full_access', hint: '…x9Kd', name: null }],
  });
}

function nullableString(description: string, example: string | null): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], description, examples: [example] });
}
