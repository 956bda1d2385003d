import { create, type DescMessage, type DescMethod, type MessageInitShape, toBinary } from '@bufbuild/protobuf';

/** The default size limit of a message that our clients and servers send or accept. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/**
 * The last message of a stream of requests. HTTP/2 alone does not show that all of them were sent: Node's client also
 * ends a stream that it cancels, and grpc-js does not distinguish a lost connection from the end.
 */
export const END_OF_REQUESTS = Buffer.alloc(0);

/**
 * Encodes a message or its initializer.
 * @throws {Error} if a value does not fit its field.
 */
export function encode(schema: DescMessage, message: unknown): Buffer {
  const bytes = toBinary(schema, create(schema, message as MessageInitShape<DescMessage>));
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Leaves a message as bytes. We encode and decode ourselves, so that errors are ours. */
export function sameBytes(bytes: Buffer): Buffer {
  return bytes;
}

/** Returns the name of a method in spans and metrics: `package.Service/Method`. */
export function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** Returns the path of a method in HTTP/2. */
export function pathOf(method: DescMethod): string {
  return `/${nameOf(method)}`;
}
