import { describe, expect, it } from 'vitest';
import { Cursors, type Results } from './cursors.ts';

function results(): Results {
  return { batch: () => ({ documents: [], done: false }) };
}

describe('Cursors', () => {
  it('closes a cursor that was not used for ten minutes', async () => {
    const cursors = new Cursors();
    const [idle, used] = [
      cursors.open('db.a', results(), undefined, false),
      cursors.open('db.a', results(), undefined, false),
    ];
    const now = Date.now();
    cursors.expire(now + 9 * 60_000);
    expect(cursors.size).toBe(2);
    await cursors.more(used, 'db.a', 1, false);
    cursors.expire(now + 10 * 60_000 + 1000);
    expect(cursors.size).toBe(0);
    await expect(cursors.more(idle, 'db.a', 1, false)).rejects.toMatchObject({ code: 43 });
  });

  it('serves only the collection that it was opened on', async () => {
    const cursors = new Cursors();
    const id = cursors.open('db.a', results(), undefined, false);
    await expect(cursors.more(id, 'db.b', 1, false)).rejects.toMatchObject({ code: 13 });
  });
});
