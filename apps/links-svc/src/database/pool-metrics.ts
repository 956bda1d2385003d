import type { MongoClient } from 'mongodb';
import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * Registers metrics of the driver's connection pools. Returns a function that observes one client for as long as it has
 * connections. The driver's monitoring connections are not part of a pool.
 */
export function createPoolMetrics(registry: Registry): (client: MongoClient) => void {
  const connections = new Gauge({
    name: 'mongodb_pool_connections',
    help: 'Connections to MongoDB, by state: open, or in use by an operation (included in open).',
    labelNames: ['state'],
    registers: [registry],
  });
  const waiting = new Gauge({
    name: 'mongodb_pool_waiting',
    help: 'Operations that wait for a connection to MongoDB.',
    registers: [registry],
  });
  const failures = new Counter({
    name: 'mongodb_pool_checkout_failures_total',
    help: 'Operations that got no connection to MongoDB.',
    registers: [registry],
  });
  const open = connections.labels('open');
  const inUse = connections.labels('in_use');
  open.set(0);
  inUse.set(0);
  return (client) => {
    client.on('connectionCreated', () => open.inc());
    client.on('connectionClosed', () => open.dec());
    client.on('connectionCheckOutStarted', () => waiting.inc());
    client.on('connectionCheckedOut', () => {
      waiting.dec();
      inUse.inc();
    });
    client.on('connectionCheckOutFailed', () => {
      waiting.dec();
      failures.inc();
    });
    client.on('connectionCheckedIn', () => inUse.dec());
  };
}
