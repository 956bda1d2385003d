/**
 * Runs an embedded server as a process. Prints its address, and closes it on SIGINT or SIGTERM. If it cannot start or
 * close, the process prints the error and exits with 1.
 */
export async function runServer(start: () => Promise<{ address: string; close(): Promise<void> }>): Promise<void> {
  try {
    const { address, close } = await start();
    console.log(address);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        close().then(
          () => process.exit(0),
          (error: unknown) => {
            console.error(error);
            process.exit(1);
          },
        );
      });
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
