import { expect, test } from 'vitest';
import { PathMethods } from './path-methods.ts';

const paths = new PathMethods();
paths.add('/api/v1/links', ['POST']);
paths.add('/api/v1/links', ['GET', 'HEAD']);
paths.add('/api/v1/links/:id', ['DELETE', 'PUT']);
paths.add('/a.b', ['GET']);

test.each([
  ['/api/v1/links', 'GET HEAD POST'],
  ['/api/v1/links/?q=/x', 'GET HEAD POST'],
  ['/api/v1/links/1', 'PUT DELETE'],
  ['/api/v1/links/%C3%A4/', 'PUT DELETE'],
  ['/api/v1/links/1/2', ''],
  ['/api/v1/links//', ''],
  ['/x/api/v1/links', ''],
  ['/a.b', 'GET'],
  ['/axb', ''],
])('%s has %j', (target, methods) => {
  expect(paths.of(target).join(' ')).toBe(methods);
});
