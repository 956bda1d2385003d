import { parentPort, workerData } from 'node:worker_threads';
import { createPreviewFetcher } from './fetch-preview.ts';
import type { PreviewRequest, PreviewResponse, PreviewThreadSettings } from './preview-messages.ts';

// Pages are fetched and parsed in this thread, so that an expensive page never delays redirects.

const port = parentPort!;
const { fetchPreview } = createPreviewFetcher(workerData as PreviewThreadSettings);
port.on('message', async ({ id, url, endsAtMs }: PreviewRequest) => {
  const meta = await fetchPreview(url, AbortSignal.timeout(Math.max(0, endsAtMs - Date.now())));
  port.postMessage({ id, meta } satisfies PreviewResponse);
});
