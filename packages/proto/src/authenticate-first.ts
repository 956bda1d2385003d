import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { type AppError, toAppError } from '@waymark/contract';
import { statusOfError } from './status.ts';
import type { ConnectionEnds } from './unknown-connections.ts';

/** How the calls of a method are authenticated. */
export interface MethodAuthentication {
  /** Returns the caller, or throws. */
  authenticate: (metadata: Metadata) => Promise<unknown> | unknown;
  /** Whether the caller has shown an identity if `authenticate` returns it. */
  needsIdentity: boolean;
  /** Called for each call that is refused. */
  onRefused: (error: AppError, metadata: Metadata, durationMs: number) => void;
}

/** Authenticates calls before grpc-js reads their bodies. */
export interface FirstAuthentication {
  interceptor: ServerInterceptor;
  /** Returns the caller of a call that was accepted. */
  callerOf(metadata: Metadata): unknown;
}

/**
 * Creates the authentication of the methods with these paths. `onIdentity` is called with the connection of each caller
 * that has shown an identity.
 */
export function authenticateFirst(
  methods: ReadonlyMap<string, MethodAuthentication>,
  onIdentity: (connection: ConnectionEnds) => void,
): FirstAuthentication {
  const callers = new WeakMap<Metadata, { caller: unknown }>();
  return {
    interceptor: ({ path }, call) => {
      const { authenticate, needsIdentity, onRefused } = methods.get(path)!;
      return new ServerInterceptingCall(call, {
        start: (next) =>
          next({
            // grpc-js reads the body only after the metadata was passed on.
            onReceiveMetadata: async (metadata, pass) => {
              const startedMs = performance.now();
              try {
                callers.set(metadata, { caller: await authenticate(metadata) });
              } catch (thrown) {
                const error = toAppError(thrown);
                onRefused(error, metadata, performance.now() - startedMs);
                call.sendStatus(statusOfError(error));
                return;
              }
              if (needsIdentity) onIdentity(call.getConnectionInfo());
              pass(metadata);
            },
          }),
      });
    },
    callerOf: (metadata) => callers.get(metadata)!.caller,
  };
}
