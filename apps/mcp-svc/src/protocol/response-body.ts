import type { ToolResult } from '../tools/call-tool.ts';

/**
 * The JSON of a response. What a tool gave is in its result twice, as text and as structured content: the text is that
 * content's JSON already, so it stands here at both places and nothing is written as JSON again.
 */
export function responseBody(response: object): string {
  const { result, ...envelope } = response as { result?: Partial<ToolResult> };
  if (result?.structuredContent === undefined) return JSON.stringify(response);
  const { structuredContent: _asInText, ...others } = result;
  const json = result.content![0]!.text;
  const open = JSON.stringify({ ...envelope, result: others }).slice(0, -'}}'.length);
  return `${open},"structuredContent":${json}}}`;
}
