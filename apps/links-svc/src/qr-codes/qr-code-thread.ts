import { respondWith } from '../threads/thread-messages.ts';
import { qrImage } from './qr-code.ts';

// Codes are drawn in this thread, so that many of them do not delay redirects.

respondWith(qrImage);
