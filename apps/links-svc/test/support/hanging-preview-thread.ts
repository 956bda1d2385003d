import { parentPort } from 'node:worker_threads';

// A thread in which each page has its URL as title. It hangs on one URL and crashes on another.

parentPort!.on('message', ({ id, url }: { id: number; url: string }) => {
  if (url === 'crash') throw new Error('crashed');
  while (url === 'hang');
  parentPort!.postMessage({ id, meta: { title: url, description: null } });
});
