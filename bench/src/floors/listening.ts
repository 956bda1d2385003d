/** Reports the port to the parent process, and exits when the parent does. */
export function reportListening(address: { port: number } | string | null): void {
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  process.send!(address.port);
  process.once('disconnect', () => process.exit());
}
