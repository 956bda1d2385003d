import { extname } from 'node:path';
import type { Logger } from '@waymark/service-kit';
import type { CheckStep } from '../database/documents/destination.ts';
import { Thread } from '../threads/thread.ts';
import type { Answer, DestinationClientOptions } from './destination-client.ts';

const SCRIPT = new URL(`./destination-thread${extname(import.meta.url)}`, import.meta.url);
/** Longer than a request and the match of the longest rules may take. A later response means that the thread hangs. */
const LATE_MS = 20_000;

export interface DestinationThreadOptions {
  settings: Pick<DestinationClientOptions, 'allow' | 'userAgent'>;
  logger: Logger;
}

/** Creates the thread that sends the requests to destinations. It starts with the first one. */
export function createDestinationThread({ settings, logger }: DestinationThreadOptions) {
  const thread = new Thread<Pick<CheckStep, 'url' | 'method'>, Answer>({
    name: 'link health',
    script: SCRIPT,
    settings,
    logger,
  });
  return {
    ask: ({ url, method }: Pick<CheckStep, 'url' | 'method'>) => thread.ask({ url, method }, LATE_MS),
    close: () => thread.close(),
  };
}
