import { workerData } from 'node:worker_threads';
import type { CheckStep } from '../database/documents/destination.ts';
import { respondWith } from '../threads/thread-messages.ts';
import { type Answer, DestinationClient, type DestinationClientOptions } from './destination-client.ts';

// Rules of a robots.txt can be expensive to match, so requests are sent in this thread.

const client = new DestinationClient(workerData as DestinationClientOptions);
respondWith<Pick<CheckStep, 'url' | 'method'>, Answer>((step) => client.ask(step));
