import { INVALID_PARAMS } from '../tools/call-tool.ts';

const INTERNAL_ERROR = -32603;

/**
 * The response, with an error that says what to mend. The SDKs tell of params that do not fit their schemas by the
 * issues that their validator found, as JSON, and mostly as an internal error. They are the client's to mend. Nothing
 * else ends as an internal error here: tools never throw.
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
