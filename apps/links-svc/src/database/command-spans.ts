import { type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { CommandStartedEvent, MongoClient } from 'mongodb';

/**
 * Creates a span for each command that the client sends within a trace. The client must monitor commands. A span holds
 * the name and the collection of the command, and none of its values.
 */
export function traceCommands(client: MongoClient): void {
  const tracer = trace.getTracer('waymark');
  const running = new Map<number, Span>();
  client.on('commandStarted', (event) => {
    // Commands outside a trace belong to no request: pings, monitoring, background work.
    if (trace.getActiveSpan() === undefined) return;
    const collection = collectionOf(event);
    const attributes = {
      'db.system.name': 'mongodb',
      'db.operation.name': event.commandName,
      ...(collection === undefined ? {} : { 'db.collection.name': collection }),
    };
    const name = collection === undefined ? event.commandName : `${event.commandName} ${collection}`;
    running.set(event.requestId, tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }));
  });
  const end = (requestId: number, failed: boolean) => {
    const span = running.get(requestId);
    running.delete(requestId);
    if (failed) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  };
  client.on('commandSucceeded', ({ requestId }) => end(requestId, false));
  client.on('commandFailed', ({ requestId }) => end(requestId, true));
}

/** Returns the collection of a command. A command stores it in the field that has the command's own name. */
function collectionOf({ command, commandName }: CommandStartedEvent): string | undefined {
  const value: unknown = command[commandName];
  return typeof value === 'string' ? value : undefined;
}
