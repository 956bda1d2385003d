import { createGrpcServer, type GrpcServer, healthV1 } from '@waymark/proto';
import { afterEach, expect, test } from 'vitest';
import { createHealth, healthService } from '../src/index.ts';

const { HealthCheckResponse_ServingStatus: Status } = healthV1;
let server: GrpcServer | undefined;
afterEach(() => server?.close(100));

test('Check and Watch of grpc.health.v1 report whether the process can serve', async () => {
  let checks = 0;
  const health = createHealth({
    a: async () => {
      checks += 1;
    },
  });
  const service = healthService(health);
  const context = (signal: AbortSignal) => ({ caller: null, requestId: 'x', signal, deadline: new Date() });
  const watcher = new AbortController();
  const request = {} as never;
  const watch = service.watch(request, context(watcher.signal))[Symbol.asyncIterator]();
  expect(await service.check(request, context(watcher.signal))).toEqual({ status: Status.SERVING });
  expect((await watch.next()).value).toEqual({ status: Status.SERVING });
  const next = watch.next();
  const before = checks;
  setTimeout(() => health.setNotReady(), 20);
  expect((await next).value).toEqual({ status: Status.NOT_SERVING });
  // Without the next check, which comes after a second.
  expect(checks).toBe(before);
  const last = watch.next();
  watcher.abort();
  expect((await last).done).toBe(true);
});

test('the health service runs on the gRPC server and needs no identity', async () => {
  server = createGrpcServer();
  server.addService(healthV1.Health, { authenticate: () => null }, healthService(createHealth({})));
  expect(await server.listen('127.0.0.1', 0)).toBeGreaterThan(0);
});
