import type { ToolName } from '@waymark/contract';
import { Histogram, type Registry } from 'prom-client';

/** The outcome of a call: a result, a refusal that the caller can correct, or a failure on our side. */
export type Outcome = 'ok' | 'refused' | 'failed';

/** Records one tool call with its outcome and duration. */
export type ObserveToolCall = (tool: ToolName, outcome: Outcome, durationMs: number) => void;

/** Registers the histogram of tool calls and returns the function that records a call. */
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
