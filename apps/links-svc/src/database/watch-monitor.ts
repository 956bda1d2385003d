import type { MongoClient } from 'mongodb';

/**
 * Calls `onStuck` when the driver's monitor of a server is still in the same check after `checkMaxMs`. In mongodb 7.8 a
 * check that begins at the moment its connection breaks never ends, and without checks the client never finds the
 * server again. It happens if a server that does not stream its state is killed while requests are running. Streaming
 * checks wait for news of the server and take long by design, so they are ignored.
 */
export function watchMonitor(client: MongoClient, checkMaxMs: number, onStuck: () => void): void {
  const checks = new Map<string, NodeJS.Timeout>();
  const end = ({ connectionId }: { connectionId: string }) => {
    clearTimeout(checks.get(connectionId));
    checks.delete(connectionId);
  };
  client.on('serverHeartbeatStarted', (event) => {
    end(event);
    if (!event.awaited) checks.set(event.connectionId, setTimeout(onStuck, checkMaxMs).unref());
  });
  client.on('serverHeartbeatSucceeded', end);
  client.on('serverHeartbeatFailed', end);
  client.on('serverClosed', ({ address }) => end({ connectionId: address }));
}
