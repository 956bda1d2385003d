import { type Client, type ClientOptions, createClient } from '@waymark/client';
import { interrupted } from './interruption.ts';
import { noteOnTerminal } from './output/print.ts';
import { readConnection } from './settings.ts';

/** Returns a client of the API that Ctrl-C stops. */
export async function connect(options: Partial<ClientOptions> = {}): Promise<Client & { url: string }> {
  const connection = await readConnection();
  const client = createClient({ ...connection, signal: interrupted, onRetry: noteRetry, ...options });
  return { ...client, url: connection.url };
}

function noteRetry({ message }: Error, pauseMs: number): void {
  if (pauseMs >= 1000) noteOnTerminal(`${message} Trying again in ${Math.ceil(pauseMs / 1000)} s …`);
}
