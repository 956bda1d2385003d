import type { Device } from '@waymark/contract';

/** What a visitor used. */
export interface Client {
  device: Device;
  browser: string;
  os: string;
}
