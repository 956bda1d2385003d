import { create, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { AppError, INTERNAL_MESSAGE } from '@waymark/contract';
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
 * fields of the message: numbers for 64-bit integers, RFC 3339 text for timestamps, and null only for optional fields and
 * for lists, where it is the empty list. Messages in a list lack the fields that are not set.
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

type Values = Record<string, unknown>;

/** Sets the fields of a message that have a value. */
export function setFields<Shape extends Message>(message: Shape, fields: readonly JsonField[], json: object): Shape {
  for (const { name, localName, toMessage } of fields) {
    const value = (json as Values)[name];
    if (value !== null && value !== undefined) (message as unknown as Values)[localName] = toMessage(value);
  }
  return message;
}

/**
 * Returns the JSON of a message (inverse of {@link setFields}). Every field is present; an empty one is null.
 * @throws {AppError} `internal` if the message, or a field that is not `nullable`, is missing. `what` names it in the log.
 */
export function jsonFromMessage(
  message: Message | undefined,
  fields: readonly JsonField[],
  nullable: ReadonlySet<string>,
  what: string,
): object {
  if (message === undefined) throw missing(what);
  const values = message as unknown as Values;
  const json: Values = {};
  for (const { name, localName, toJson } of fields) {
    const value = values[localName];
    if (value === undefined && !nullable.has(name)) throw missing(`"${name}"`);
    json[name] = value === undefined ? null : toJson(value);
  }
  return json;
}

/** Returns the names of the fields of a schema. */
export function namesOf<Properties extends object>(schema: { properties: Properties }): (keyof Properties & string)[] {
  return Object.keys(schema.properties) as (keyof Properties & string)[];
}

/** Returns the names of the fields that the schema allows to be null. */
export function nullableNamesOf(schema: { properties: object }): Set<string> {
  const fields = Object.entries(schema.properties as Record<string, { type?: unknown }>);
  return new Set(fields.flatMap(([name, { type }]) => (Array.isArray(type) && type.includes('null') ? name : [])));
}

function missing(what: string): AppError {
  return new AppError('internal', INTERNAL_MESSAGE, { cause: new Error(`the response lacks ${what}`) });
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
  if (field.fieldKind === 'list' && field.message !== undefined) return conversionOfList(field.message);
  if (field.fieldKind === 'message') return conversionOfMessage(field.message);
  const conversion = field.scalar === undefined ? undefined : SCALARS.get(field.scalar);
  if (conversion === undefined || (field.fieldKind === 'list' && conversion !== AS_IS))
    throw new Error(`${field} has a type without a conversion to JSON; add one`);
  return conversion;
}

/** Every field of an inner message is present in its JSON. An optional one that is not set is null. */
function conversionOfMessage(message: DescMessage): Conversion {
  const fields = fieldsIn(message);
  const names = new Set(fields.map(({ name }) => name));
  return {
    toMessage: (json) => setFields(create(message), fields, json as object),
    toJson: (value) => jsonFromMessage(value as Message, fields, names, message.name),
  };
}

/** The JSON of a message in a list lacks its fields that are not set, and its lists that are empty. */
function conversionOfList(message: DescMessage): Conversion {
  const fields = fieldsIn(message);
  return {
    toMessage: (json) => (json as object[]).map((item) => setFields(create(message), fields, item)),
    toJson: (value) =>
      (value as Message[]).map((item) =>
        Object.fromEntries(
          fields
            .map(({ name, localName, toJson }): [string, unknown] => {
              const set = (item as unknown as Values)[localName];
              return [name, set === undefined || (Array.isArray(set) && set.length === 0) ? undefined : toJson(set)];
            })
            .filter(([, set]) => set !== undefined),
        ),
      ),
  };
}

function fieldsIn(message: DescMessage): JsonField[] {
  return message.fields.map((field) => ({ name: field.name, localName: field.localName, ...conversionOf(field) }));
}

/** The JSON type that corresponds to a message. */
type JsonOf<Shape> = {
  [Name in keyof Shape & string as Name extends `$${string}` ? never : SnakeCase<Name>]-?: JsonValue<Shape[Name]>;
};
type JsonValue<Value> = undefined extends Value ? JsonScalar<NonNullable<Value>> | null : JsonScalar<Value>;
type JsonScalar<Value> = Value extends bigint
  ? number
  : Value extends Timestamp
    ? string
    : Value extends (infer Item)[]
      ? (Item extends Message ? Partial<JsonOf<Item>> : Item)[] | null
      : Value extends Message
        ? JsonOf<Value>
        : Value;

type SnakeCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** The constraint that `Json` has every field of `Expected` and no other. */
type SameFields<Json, Expected> = Expected & {
  [Name in Exclude<keyof Json, keyof Expected>]: 'not in the .proto file';
};
