import { argumentsOf } from '@waymark/contract';

/** Replaces `arguments` that are a JSON text, in a parsed message or batch. The schemas of the SDKs would refuse them. */
export function parseArguments(body: unknown): void {
  for (const message of Array.isArray(body) ? body : [body]) {
    const params = (message as { params?: { arguments?: unknown } } | null)?.params;
    if (typeof params?.arguments === 'string') params.arguments = argumentsOf(params.arguments);
  }
}
