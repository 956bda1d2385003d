import { type DescField, type Message, ScalarType } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { textOfTime, timeOfText } from './time.ts';

/** A field of a message, with the property of the JSON API that it corresponds to. */
export interface JsonField {
  /** The name in the JSON API and in the .proto file. */
  name: string;
  /** The name of the property in the generated TypeScript message. */
  localName: string;
  /** Converts a value that is not null. */
  toMessage(json: unknown): unknown;
  /** Converts a value that is set. */
  toJson(value: unknown): unknown;
}

/**
 * Returns the fields of a message by their JSON names, in the order of `names`. Compiles only if `Json` has exactly the
 * fields of the message: numbers for 64-bit integers, RFC 3339 text for timestamps, and null only for optional fields.
 */
export function jsonFields<Json extends SameFields<Json, JsonOf<Shape>>, Shape extends Message>(
  message: GenMessage<Shape>,
  names: readonly (keyof Json & string)[],
): JsonField[] {
  const fields = new Map(message.fields.map((field) => [field.name, field]));
  return names.map((name) => {
    const field = fields.get(name)!;
    return { name, localName: field.localName, ...conversionOf(field) };
  });
}

type Conversion = Pick<JsonField, 'toMessage' | 'toJson'>;

const AS_IS: Conversion = { toMessage: (json) => json, toJson: (value) => value };
const COUNT: Conversion = { toMessage: (json) => BigInt(json as number), toJson: Number };
const TIME: Conversion = {
  toMessage: (json) => timeOfText(json as string),
  toJson: (value) => textOfTime(value as Timestamp),
};
const SCALARS = new Map([
  [ScalarType.STRING, AS_IS],
  [ScalarType.BOOL, AS_IS],
  [ScalarType.INT32, AS_IS],
  [ScalarType.UINT64, COUNT],
]);

function conversionOf(field: DescField): Conversion {
  if (field.message?.typeName === TimestampSchema.typeName) return TIME;
  const conversion = field.scalar === undefined ? undefined : SCALARS.get(field.scalar);
  if (conversion === undefined || (field.fieldKind === 'list' && conversion !== AS_IS))
    throw new Error(`${field} has a type without a conversion to JSON; add one`);
  return conversion;
}

/** The JSON type that corresponds to a message. */
type JsonOf<Shape> = {
  [Name in keyof Shape & string as Name extends `$${string}` ? never : SnakeCase<Name>]-?: JsonValue<Shape[Name]>;
};
type JsonValue<Value> = undefined extends Value ? JsonScalar<NonNullable<Value>> | null : JsonScalar<Value>;
type JsonScalar<Value> = Value extends bigint ? number : Value extends Timestamp ? string : Value;

type SnakeCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** The constraint that `Json` has every field of `Expected` and no other. */
type SameFields<Json, Expected> = Expected & {
  [Name in Exclude<keyof Json, keyof Expected>]: 'not in the .proto file';
};
