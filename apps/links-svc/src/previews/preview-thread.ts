import { parentPort, workerData } from 'node:worker_threads';
import { createPreviewFetcher } from './fetch-preview.ts';
import type { PreviewRequest, PreviewResponse, PreviewThreadSettings } from './preview-messages.ts';

// The thread in which pages are fetched and parsed: whatever a page costs, redirects do not wait for it.

const port = parentPort!;
const { fetchPreview } = createPreviewFetcher(workerData as PreviewThreadSettings);
port.on('message', async ({ id, url, timeoutMs }: PreviewRequest) => {
  const meta = await fetchPreview(url, AbortSignal.timeout(timeoutMs));
  port.postMessage({ id, meta } satisfies PreviewResponse);
});
