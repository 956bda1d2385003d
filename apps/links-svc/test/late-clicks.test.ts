import { AppError } from '@waymark/contract';
import { clicksFromMessage } from '@waymark/proto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DeletedLinksStore } from '../src/deletions/deleted-links.store.ts';
import { purgeDue } from '../src/deletions/link-purger.ts';
import { type FakeAnalytics, Service } from './support/service.ts';

// docs/analytics.md, Deleted links: a spool may be sent when nothing is left of a link but its clicks.

test('clicks of a link that was deleted, purged and forgotten are not sent, and the others are', async () => {
  let isDown = true;
  const tried: string[][] = [];
  const stored: string[] = [];
  const analytics: FakeAnalytics = {
    recordClicks: async ({ clicks }) => {
      const linkIds = clicksFromMessage(clicks!).map(({ linkId }) => linkId);
      tried.push(linkIds);
      if (isDown) throw new AppError('unavailable', 'The database is down.');
      stored.push(...linkIds);
      return { counted: linkIds.length };
    },
  };
  const service = await Service.start({ analytics });
  onTestFinished(() => service.close());
  const account = await service.createAccount();
  const [deleted, kept] = [await service.createLink(account.live), await service.createLink(account.live)];
  for (const { slug } of [deleted, kept, deleted])
    await service.request(null, 'GET', `/${slug}`, { headers: { 'user-agent': 'Mozilla/5.0' } });
  // The batch was sent once, and may be stored.
  await expect.poll(() => new Set(tried.flat())).toEqual(new Set([deleted.id, kept.id]));

  await service.delete(account.live, deleted.id);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 4 * 86_400_000 });
  onTestFinished(() => void vi.useRealTimers());
  const deletedLinks = new DeletedLinksStore(service.database);
  const purge = async () => true;
  await purgeDue({ deletedLinks, purge }, new Date());
  expect(await service.database.collections.deletedLinks.countDocuments({})).toBe(0);

  isDown = false;
  await expect.poll(() => service.metric('clicks_sent_total')).toBe(1);
  await expect.poll(() => service.metric('click_spool_depth')).toBe(0);
  expect(stored).toEqual([kept.id]);
  expect(await service.metric('clicks_of_deleted_links_total')).toBe(2);
});
