import { randomBytes, randomUUID } from 'node:crypto';
import type { HostDocument } from '../../src/database/documents/host.ts';
import type { Service, TestAccount } from './service.ts';

/** Writes a short host of an account, verified unless the fields say otherwise. Replicas know it within 2 seconds. */
export async function writeHost(
  service: Service,
  account: TestAccount,
  host: string,
  fields: Partial<HostDocument> = {},
): Promise<HostDocument> {
  const document: HostDocument = {
    _id: `h${randomBytes(8).toString('hex')}`,
    account_id: account.id,
    host,
    status: 'verified',
    txt_value: 'waymark-test',
    root_url: null,
    not_found_url: null,
    checked_at: null,
    missing_since: null,
    look_at: new Date(Date.now() + 86_400_000),
    created_at: new Date(),
    ...fields,
  };
  const { hosts: mine = [] } = (await service.database.collections.accounts.findOne({ _id: account.id }))!;
  const hosts = [...mine, { id: document._id, host }];
  await service.database.collections.accounts.updateOne(
    { _id: account.id },
    { $set: { hosts, write_id: randomUUID() } },
  );
  await service.database.collections.hosts.insertOne(document);
  await announce(service, account);
  return document;
}

/** Changes hosts of an account as a look at DNS would. Replicas know it within 2 seconds. */
export async function changeHosts(
  service: Service,
  account: TestAccount,
  host: string,
  set: Partial<HostDocument>,
): Promise<void> {
  await service.database.collections.hosts.updateMany({ account_id: account.id, host }, { $set: set });
  await announce(service, account);
}

/** Writes an event of a host, after which replicas read all hosts of the account. */
async function announce(service: Service, { live }: TestAccount): Promise<void> {
  const host = `h${randomBytes(8).toString('hex')}.news.example`;
  await service.request(live, 'POST', '/api/v1/hosts', { body: { host } });
}
