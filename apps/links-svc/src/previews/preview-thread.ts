import { workerData } from 'node:worker_threads';
import { respondWith } from '../threads/thread-messages.ts';
import { createPreviewFetcher } from './fetch-preview.ts';
import type { PageMeta } from './page-meta.ts';
import type { PreviewRequest, PreviewThreadSettings } from './preview-messages.ts';

// Pages are fetched and parsed in this thread, so that an expensive page never delays redirects.

const { fetchPreview } = createPreviewFetcher(workerData as PreviewThreadSettings);
respondWith<PreviewRequest, PageMeta>(({ url, endsAtMs }) =>
  fetchPreview(url, AbortSignal.timeout(Math.max(0, endsAtMs - Date.now()))),
);
