import type { QrImage, QrRequest } from '../../src/qr-codes/qr-code.ts';
import { respondWith } from '../../src/threads/thread-messages.ts';

// A thread in which each image is the number of codes before it. It crashes on the URL "crash".

let drawn = 0;
respondWith<QrRequest, QrImage>(({ url }) => {
  if (url === 'crash') throw new Error('crashed');
  return { type: 'text/plain', body: String(drawn++) };
});
