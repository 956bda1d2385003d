export { type Client, type ClientOptions, createClient } from './client.ts';
export { listEvents } from './events.ts';
export type { components, operations, paths } from './generated/api.ts';
export { newKey } from './idempotency-key.ts';
export { lookUntilOver, watchJob } from './jobs.ts';
export { exportLinks, listLinks } from './links.ts';
export { type Result, type Route, requestOf, type Sent, urlOf } from './routes.ts';
export { errorOf, WaymarkError } from './waymark-error.ts';
