import { parentPort } from 'node:worker_threads';

// A thread whose pages are their own titles, but for one on which it hangs and one on which it dies.

parentPort!.on('message', ({ id, url }: { id: number; url: string }) => {
  if (url === 'crash') throw new Error('crashed');
  while (url === 'hang');
  parentPort!.postMessage({ id, meta: { title: url, description: null } });
});
