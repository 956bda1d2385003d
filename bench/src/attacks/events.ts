import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { serve } from './serve.ts';

/** 100,800 changes an hour. */
const CHANGES_A_SECOND = 28;
const SECONDS = 30;
const CHANGES = CHANGES_A_SECOND * SECONDS;
/** Made before, one by one: an hour of changes does not consist of the first ones after a start. */
const CHANGES_BEFORE = 4 * CHANGES_A_SECOND;
/** The last events are delivered after the last change. */
const DELIVER_MS = 10_000;

/** Changes of one account, each of which is an event that a webhook gets. */
export const eventsAttack: Attack = {
  name: 'events',
  about: `changes ${CHANGES_A_SECOND} links a second, one after the other, each of which is an event and a delivery to a webhook`,
  service: 'links-svc',
  measureMs: SECONDS * 1_000,
  environment: async () => ({ WEBHOOK_ALLOW: '127.0.0.0/8', RATE_LIMIT_PER_MINUTE: String(CHANGES_A_SECOND * 60 * 2) }),
  async prepare({ gateway, attacker, onClose }) {
    let delivered = 0;
    const port = await serve((request, response) => {
      request.resume().once('end', () => {
        delivered++;
        response.writeHead(204).end();
      });
    }, onClose);
    const send = async <Answer>(method: string, path: string, body: object): Promise<Answer> => {
      const response = await fetch(gateway + path, {
        method,
        headers: { authorization: `Bearer ${attacker.live}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return JSON.parse(text) as Answer;
    };
    const link = { destination_url: 'https://example.com/' };
    const created = await send<{ results: { link: { id: string } }[] }>('POST', '/api/v1/links/bulk', {
      operations: Array.from({ length: CHANGES_A_SECOND }, () => ({ op: 'create', link })),
    });
    const ids = created.results.map(({ link }) => link.id);
    await send('POST', '/api/v1/webhooks', { url: `http://127.0.0.1:${port}/`, types: ['link.updated'] });
    const change = (n: number) => send('PUT', `/api/v1/links/${ids[n % ids.length]}`, { title: `change ${n}` });
    for (let n = 0; n < CHANGES_BEFORE; n++) await change(n);
    while (delivered < CHANGES_BEFORE) await sleep(100);
    delivered = 0;
    return {
      async run() {
        const startedAt = performance.now();
        await Promise.all(
          Array.from({ length: CHANGES }, async (_, n) => {
            await sleep(Math.max(0, startedAt + (n * 1_000) / CHANGES_A_SECOND - performance.now()));
            await change(CHANGES_BEFORE + n);
          }),
        );
        return [];
      },
      async afterwards() {
        await sleep(DELIVER_MS);
        return [`${delivered} of ${CHANGES} events delivered`];
      },
    };
  },
};
