// Loaded first into every process of a stack. When the process that started it ends for any reason, the IPC channel
// closes, and this process stops as if it got SIGTERM.
const GRACE_MS = 10_000;

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS).unref();
});
process.channel?.unref();

export {};
