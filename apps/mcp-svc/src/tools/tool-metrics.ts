import type { ToolName } from '@waymark/contract';
import { Histogram, type Registry } from 'prom-client';

/** How a call ended: with a result, with a refusal that the caller can mend, or with a failure on our side. */
export type Outcome = 'ok' | 'refused' | 'failed';

/** Counts a call of a tool that took this long. */
export type ObserveToolCall = (tool: ToolName, outcome: Outcome, durationMs: number) => void;

/** Rate, outcome and duration of the tools, in the registry. */
export function createToolMetrics(registry: Registry): ObserveToolCall {
  const calls = new Histogram({
    name: 'mcp_tool_call_duration_seconds',
    help: 'Duration of tool calls, by tool and outcome (ok, refused, failed).',
    labelNames: ['tool', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  return (tool, outcome, durationMs) => calls.labels(tool, outcome).observe(durationMs / 1000);
}
