import { INVALID_PARAMS } from '../tools/call-tool.ts';

const INTERNAL_ERROR = -32603;

/**
 * Returns the response, with an error that says what the client must correct. If params do not match a schema, the SDKs
 * report the validator's issues as JSON, mostly as an internal error, although the client sent them. No other error is
 * internal here, since a failed tool call is a result.
 */
export function readableError<Response extends object>(response: Response): Response {
  if (!('error' in response)) return response;
  const { code, message } = response.error as { code: number; message: string };
  const issues = /\[\n.*\]$/s.exec(message)?.[0];
  if (code !== INTERNAL_ERROR && issues === undefined) return response;
  const words = issues === undefined ? message : describeIssues(issues);
  return { ...response, error: { code: INVALID_PARAMS, message: `Invalid params: ${words}` } };
}

function describeIssues(json: string): string {
  const issues = JSON.parse(json) as { path: (string | number)[]; message: string }[];
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
