import { parentPort } from 'node:worker_threads';

export interface ThreadRequest<Request> {
  id: number;
  request: Request;
}

export interface ThreadResponse<Response> {
  id: number;
  response: Response;
}

/** Responds to the requests of the `Thread` that runs this script. A handler that throws ends the thread. */
export function respondWith<Request, Response>(handler: (request: Request) => Response | Promise<Response>): void {
  parentPort!.on('message', async ({ id, request }: ThreadRequest<Request>) => {
    const response = await handler(request);
    parentPort!.postMessage({ id, response } satisfies ThreadResponse<Response>);
  });
}
