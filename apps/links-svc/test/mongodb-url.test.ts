import { expect, test } from 'vitest';
import { mongodbUrl } from './support/mongodb-url.ts';
import { Service } from './support/service.ts';

test.each([
  'readPreference=secondaryPreferred&maxStalenessSeconds=120&readPreferenceTags=dc:east',
  'readConcernLevel=linearizable',
  'retryWrites=false&retryReads=false',
  'w=1&journal=false',
  'maxPoolSize=1',
  'timeoutMS=3000',
])('changes work with ?%s in MONGODB_URL, and what was written is read', async (options) => {
  const url = mongodbUrl();
  const service = await Service.start({ mongodbUrl: `${url}${url.includes('?') ? '&' : '/?'}${options}` });
  try {
    const { live } = await service.createAccount();
    const links = await Promise.all(Array.from({ length: 5 }, () => service.createLink(live)));
    expect((await service.list(live)).body.total).toBe(5);
    expect((await service.update(live, links[0]!.id, { title: 'T' })).body.title).toBe('T');
    expect((await service.delete(live, links[1]!.id)).status).toBe(204);
  } finally {
    await service.close();
  }
});
