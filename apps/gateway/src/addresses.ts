import type { Config } from './config.ts';

/** Where clients reach the system: origins, without a slash at the end. */
export interface Addresses {
  /** Of the API, MCP, the documentation and the dashboard. */
  apiUrl: string;
  /** Of short URLs. */
  publicUrl: string;
}

export function addressesOf({ PUBLIC_URL, API_URL }: Pick<Config, 'PUBLIC_URL' | 'API_URL'>): Addresses {
  return { apiUrl: API_URL ?? PUBLIC_URL, publicUrl: PUBLIC_URL };
}
