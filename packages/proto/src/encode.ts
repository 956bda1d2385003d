import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';

/**
 * Encodes a message or its initializer.
 * @throws {Error} if a value does not fit its field.
 */
export function encode(schema: DescMessage, message: unknown): Buffer {
  const bytes = toBinary(schema, create(schema, message as MessageInitShape<DescMessage>));
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
