// Prints the configuration of `start` as JSON. If it is wrong, prints one line for each problem to standard error.
import { ConfigError, loadConfig, usableHost } from '@waymark/service-kit';
import { startSchema } from './start-config.ts';

try {
  const config = loadConfig(startSchema);
  // The port is checked later, when it is known that no other stack uses the same folder.
  const names = { HOST: 'GATEWAY_HOST', HTTP_PORT: 'GATEWAY_PORT' };
  const GATEWAY_HOST = await usableHost({ HOST: config.GATEWAY_HOST, names });
  process.stdout.write(JSON.stringify({ ...config, GATEWAY_HOST }));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(error.message);
  process.exitCode = 1;
}
