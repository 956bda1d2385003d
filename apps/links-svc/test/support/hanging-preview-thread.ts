import type { PageMeta } from '../../src/previews/page-meta.ts';
import { respondWith } from '../../src/threads/thread-messages.ts';

// A thread in which each page has its URL as title. It hangs on one URL and crashes on another.

respondWith<{ url: string }, PageMeta>(({ url }) => {
  if (url === 'crash') throw new Error('crashed');
  while (url === 'hang');
  return { title: url, description: null };
});
