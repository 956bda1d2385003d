export { type Client, type ClientOptions, createClient } from './client.ts';
export { listEvents } from './events.ts';
export type { components, operations, paths } from './generated/api.ts';
export { watchJob } from './jobs.ts';
export { exportLinks, listLinks } from './links.ts';
export { WaymarkError } from './waymark-error.ts';
