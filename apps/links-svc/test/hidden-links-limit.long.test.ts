import { expect, test } from 'vitest';
import { newLinkId } from '../src/database/ids.ts';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Analytics: how many links may be hidden from a key. Stores half a million deleted links.

test('hidden links are complete up to 500,000, and refused at once above, with what to do', async () => {
  const service = await Service.start();
  const owner = await service.createAccount();
  const insertDeleted = async (from: number, to: number) => {
    const ids = Array.from({ length: to - from }, (_, n) => newLinkId(owner.id, from + n));
    const purge_at = new Date(Date.UTC(2100, 0, 1));
    // In parts: a database that is busy with one statement for seconds looks like an outage.
    for (let at = 0; at < ids.length; at += 1_000) {
      const documents = ids.slice(at, at + 1_000).map((_id) => ({ _id, account_id: owner.id, purge_at }));
      await service.database.collections.deletedLinks.insertMany(documents, { ordered: false });
    }
    return ids;
  };
  const hiddenOf = async (identity: TestAccount['live'], knownRevision = '') => {
    const linkIds: string[] = [];
    let last = { revision: '', unchanged: false };
    const options = { ...(await service.as(identity)), timeoutMs: 60_000 };
    for await (const part of service.links.getHiddenLinks({ knownRevision }, options)) {
      linkIds.push(...part.linkIds);
      last = part;
    }
    return { revision: last.revision, unchanged: last.unchanged, linkIds };
  };
  const ids = await insertDeleted(0, 300_000);
  const hidden = await service.createLink(owner.live, { visibility: 'private' });
  const found = await hiddenOf(owner.public);
  expect(found.linkIds).toHaveLength(300_001);
  expect(new Set(found.linkIds)).toEqual(new Set([...ids, hidden.id]));

  await insertDeleted(300_000, 500_000);
  expect((await hiddenOf(owner.live)).linkIds).toHaveLength(500_000);
  await expect(hiddenOf(owner.public)).rejects.toMatchObject({
    code: 'invalid',
    message: 'More than 500,000 links are hidden from this key; send "link_id" or "hashtag", or use a Full Access key.',
  });
  // A list that is still current need not be sent, so it is not refused.
  expect(await hiddenOf(owner.public, found.revision)).toMatchObject({ unchanged: true });
  await insertDeleted(500_000, 500_001);
  await expect(hiddenOf(owner.live)).rejects.toMatchObject({
    code: 'invalid',
    message: 'More than 500,000 links were deleted in the last days; send "link_id" or "hashtag".',
  });
  await service.close();
}, 600_000);
