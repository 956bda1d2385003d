import type { FastifyInstance } from 'fastify';

const SWEEP_INTERVAL_MS = 100;

/**
 * Makes the app drain its connections without interrupting requests. Once it drains or closes, responses carry
 * `Connection: close`. While it closes, it also closes the connections that become idle.
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
