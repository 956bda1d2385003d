import type { FastifyInstance } from 'fastify';

const SWEEP_INTERVAL_MS = 100;

/**
 * Lets the app get rid of its connections without cutting a request: once it drains or closes, answers carry
 * `Connection: close`, and while it closes, connections that have become idle are closed.
 */
export function addConnectionDraining(app: FastifyInstance): void {
  let draining = false;
  app.decorate('drainConnections', () => {
    draining = true;
  });
  app.decorate('isDraining', () => draining);
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (draining) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', async () => {
    draining = true;
    const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_INTERVAL_MS);
    app.server.once('close', () => clearInterval(sweep));
  });
}
