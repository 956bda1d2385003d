import type { MongoClient } from 'mongodb';

/**
 * Calls back where the driver's monitor of a server has begun a check and not ended it for longer than any check may
 * take. A check that begins in the moment in which its connection breaks never ends (mongodb 7.8: seen whenever a
 * server that does not stream its state is killed with requests under way), and without checks the client never finds
 * the server again. Checks that wait for news of the server are long by nature and are left alone.
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
