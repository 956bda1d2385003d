import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack, StackProcess } from '@waymark/stack';
import { expect } from 'vitest';
import { eventually } from './world.ts';

export const SERVICE_NAMES = ['links-svc', 'analytics-svc', 'mcp-svc', 'gateway'] as const;

const STOP_WITHIN_MS = 12_000;
/** The period of the chart's readiness probe. */
const NEXT_AFTER_MS = 2_000;

/** Options of a stack whose services can be restarted without failed requests. */
export const TWO_OF_EACH = {
  replicas: Object.fromEntries(SERVICE_NAMES.map((name) => [name, 2])),
  // Longer than the balancer needs to notice. The chart's default is ten seconds.
  env: { SHUTDOWN_DELAY_MS: '1000' },
  serviceEnv: Object.fromEntries(SERVICE_NAMES.map((name) => [name, { SHUTDOWN_TIMEOUT_MS: '8000' }])),
};

export function replicasOf(stack: Stack, name: string): StackProcess[] {
  return [stack.processes[name]!, stack.processes[`${name}-2`]!];
}

export function originOf(replica: StackProcess): string {
  return `http://127.0.0.1:${replica.ports.http}`;
}

/** Restarts the replicas of a service one by one, each only after the previous one is ready, as an upgrade does. */
export async function rollingRestart(stack: Stack, name: string): Promise<void> {
  for (const replica of replicasOf(stack, name)) {
    await replica.restart(STOP_WITHIN_MS);
    expect(replica.log()).not.toMatch(/a shutdown stage took too long|a shutdown step failed/);
    await eventually(async () => expect((await fetch(`${originOf(replica)}/startupz`)).status).toBe(200));
    await sleep(NEXT_AFTER_MS);
  }
}
