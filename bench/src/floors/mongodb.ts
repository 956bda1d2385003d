// Floor of a request for links: Fastify and one MongoDB operation, or two to create a link: its slug must be unique among
// accounts, and its collection is sharded by account (ADR 50). Sends the documents as stored but without the search text,
// which clients never receive. Reads MONGODB_URL and MONGODB_DATABASE; ACCOUNT_ID owns the links to list.
import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { type Document, MongoClient } from 'mongodb';
import { reportListening } from './listening.ts';

const { MONGODB_URL, MONGODB_DATABASE, ACCOUNT_ID } = process.env;
const client = new MongoClient(MONGODB_URL!, { writeConcern: { w: 'majority' } });
const database = client.db(MONGODB_DATABASE!);
const links = database.collection<Document & { _id: string }>('links');
const redirects = database.collection<Document & { _id: string }>('bench_redirects');
const inserted = database.collection<Document & { _id: string }>('bench_inserted');
const ofAccount = { _id: { $gt: ACCOUNT_ID!, $lt: `${ACCOUNT_ID}~` } };
const SENT = { projection: { search_text: 0 } } as const;
const PAGE = { ...SENT, sort: { _id: -1 }, limit: 25 } as const;

const app = fastify();
app.get<{ Params: { id: string } }>('/links/:id', (request) => links.findOne({ _id: request.params.id }, SENT));
app.get('/links', () => links.find(ofAccount, PAGE).toArray());
app.post<{ Body: Document }>('/links', async (request, reply) => {
  const link = { ...request.body, _id: randomUUID() };
  await redirects.insertOne({ _id: link._id, account_id: ACCOUNT_ID });
  await inserted.insertOne(link);
  return reply.code(201).send(link);
});
app.put<{ Params: { id: string }; Body: Document }>('/links/:id', async (request) => {
  const filter = { _id: request.params.id };
  await links.updateOne(filter, { $set: request.body });
  return links.findOne(filter, SENT);
});
await client.connect();
await app.listen({ host: '127.0.0.1', port: 0 });
reportListening(app.server.address());
