import type { Attack } from './attack.ts';
import { flood } from './flood.ts';
import { serve } from './serve.ts';

/** Less than one key may send in a minute. */
const REPETITIONS = 560;
const BOUNDS = { connections: REPETITIONS, durationMs: 20_000, maxRequests: REPETITIONS };
/** Longer than links-svc waits for a page. */
const PAGE_AFTER_MS = 10_000;

/** One bulk creation with an `Idempotency-Key`, repeated while the first one waits for the page of its destination. */
export const bulkRepetitionsAttack: Attack = {
  name: 'bulk-repetitions',
  about: `sends the same bulk creation with the same Idempotency-Key ${REPETITIONS} times at once, while the first one runs`,
  service: 'links-svc',
  measureMs: 10_000,
  isSudden: true,
  environment: async () => ({ AUTO_META_ALLOW: '127.0.0.0/8' }),
  async prepare({ gateway, attacker, onClose }) {
    const port = await serve((_request, response) => {
      setTimeout(() => response.end(), PAGE_AFTER_MS).unref();
    }, onClose);
    const link = { destination_url: `http://127.0.0.1:${port}/`, auto_meta: true };
    const repetition = {
      path: '/api/v1/links/bulk',
      method: 'POST' as const,
      headers: {
        authorization: `Bearer ${attacker.live}`,
        'content-type': 'application/json',
        'idempotency-key': 'the same for all',
      },
      body: JSON.stringify({ operations: [{ op: 'create', link }] }),
    };
    return { run: async () => [`repetitions: ${await flood(gateway, BOUNDS, () => repetition)}`] };
  },
};
