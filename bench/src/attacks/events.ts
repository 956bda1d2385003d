import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { serve } from './serve.ts';

/** 100,800 changes an hour. */
const CHANGES_A_SECOND = 28;
const SECONDS = 30;
/** The last events are delivered after the last change. */
const DELIVER_MS = 10_000;

/** Changes of one account, each of which is an event that a webhook gets. */
export const eventsAttack: Attack = {
  name: 'events',
  about: `changes ${CHANGES_A_SECOND} links a second, each of which is an event and a delivery to a webhook`,
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
    const post = async <Answer>(path: string, body: object): Promise<Answer> => {
      const response = await fetch(gateway + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${attacker.live}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return JSON.parse(text) as Answer;
    };
    const link = { destination_url: 'https://example.com/' };
    const created = await post<{ results: { link: { id: string } }[] }>('/api/v1/links/bulk', {
      operations: Array.from({ length: CHANGES_A_SECOND }, () => ({ op: 'create', link })),
    });
    const ids = created.results.map(({ link }) => link.id);
    await post('/api/v1/webhooks', { url: `http://127.0.0.1:${port}/`, types: ['link.updated'] });
    return {
      async run() {
        const startedAt = performance.now();
        for (let second = 0; second < SECONDS; second++) {
          await sleep(Math.max(0, startedAt + second * 1_000 - performance.now()));
          await post('/api/v1/links/bulk', {
            operations: ids.map((id) => ({ op: 'update', id, link: { title: `second ${second}` } })),
          });
        }
        return [];
      },
      async afterwards() {
        await sleep(DELIVER_MS);
        return [`${delivered} of ${SECONDS * CHANGES_A_SECOND} events delivered`];
      },
    };
  },
};
