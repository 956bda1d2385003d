/** How far the server's clock is ahead of this device's. */
let aheadMs = 0;

/** Notes the server's time, which each response has. */
export function noteServerTime({ headers }: Response): void {
  const time = Date.parse(headers.get('date') ?? '');
  if (!Number.isNaN(time)) aheadMs = time - Date.now();
}

/** Returns the time by the server's clock: that of a device may be wrong. */
export function serverNow(): Date {
  return new Date(Date.now() + aheadMs);
}
