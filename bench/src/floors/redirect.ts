// The least that a redirect can cost: Fastify and a Map. SLUGS has the slugs, separated by commas.
import fastify from 'fastify';
import { tellListening } from './listening.ts';

const destinations = new Map(process.env.SLUGS!.split(',').map((slug) => [slug, `https://example.com/${slug}`]));

const app = fastify();
app.get<{ Params: { slug: string } }>('/:slug', (request, reply) => {
  reply.code(302).header('location', destinations.get(request.params.slug)!).send();
});
await app.listen({ host: '127.0.0.1', port: 0 });
tellListening(app.server.address());
