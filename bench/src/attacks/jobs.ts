import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';

const ROWS = 100_000;
const LOOK_EVERY_MS = 1_000;
const MAX_MS = 300_000;

interface Job {
  id: string;
  state: string;
  finished_at: string | null;
}

/** An import of a large file, an edit of all its links, and the undo of the edit, one after another. */
export const jobsAttack: Attack = {
  name: 'jobs',
  about: `imports a file of ${ROWS} rows, and edits all its links`,
  service: 'links-svc',
  measureMs: 10_000,
  async prepare({ gateway, attacker }) {
    const headers = { authorization: `Bearer ${attacker.live}` };
    const lines = Array.from({ length: ROWS }, (_, n) => `https://example.com/summer/offers?item=${n},Summer ${n}\n`);
    const file = `url,title\n${lines.join('')}`;
    const post = async (path: string, type: string, body: string) => {
      const response = await fetch(`${gateway}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': type },
        body,
      });
      const job = (await response.json()) as Job;
      if (!response.ok) throw new Error(JSON.stringify(job));
      return job;
    };
    /** Runs a job to its end, and says how long it took. */
    const timed = async (name: string, start: () => Promise<Job>) => {
      const startedMs = performance.now();
      let job = await start();
      while (job.finished_at === null && performance.now() - startedMs < MAX_MS) {
        await sleep(LOOK_EVERY_MS);
        const response = await fetch(`${gateway}/api/v1/jobs/${job.id}`, { headers });
        if (response.ok) job = (await response.json()) as Job;
      }
      return `${name}: ${job.state} after ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`;
    };
    const edit = { kind: 'edit', filter: { all: true }, change: { add_hashtags: ['edited'] } };
    return {
      run: async () => [
        await timed('import', () => post('/api/v1/jobs/import', 'text/csv', file)),
        await timed('edit', () => post('/api/v1/jobs', 'application/json', JSON.stringify(edit))),
      ],
    };
  },
};
