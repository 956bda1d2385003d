export type { Client } from './client.ts';
export { NOT_A_PERSON, readUserAgent, type UserAgent } from './user-agent.ts';
