import { type IncomingHttpHeaders, request } from 'node:http';

export interface Visited {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends a request with any `Host` header, and follows no redirect. */
export function visit(
  origin: string,
  host: string,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Visited> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const sent = request(
      { hostname, port, path, method, headers: { ...headers, host }, setHost: false },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      },
    );
    sent.on('error', reject).end(body);
  });
}
