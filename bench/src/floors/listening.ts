/** Tells the process that started this floor where it listens, and ends this one with it. */
export function tellListening(address: { port: number } | string | null): void {
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  process.send!(address.port);
  process.once('disconnect', () => process.exit());
}
