// Loaded first into every process of a stack: when the process that started it is gone, whatever the reason, the channel
// between the two closes, and this one stops as if it had been asked to.
const GRACE_MS = 10_000;

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS).unref();
});
process.channel?.unref();

export {};
