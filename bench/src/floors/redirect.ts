// Floor of a redirect: Fastify and a Map. DESTINATIONS_FILE holds pairs of slug and destination as JSON.
import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import { reportListening } from './listening.ts';

const destinations = new Map<string, string>(JSON.parse(readFileSync(process.env.DESTINATIONS_FILE!, 'utf8')));

const app = fastify();
app.get<{ Params: { slug: string } }>('/:slug', (request, reply) => {
  reply.code(302).header('location', destinations.get(request.params.slug)!).send();
});
await app.listen({ host: '127.0.0.1', port: 0 });
reportListening(app.server.address());
