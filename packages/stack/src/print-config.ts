// Prints the configuration of `start` as JSON. If it is wrong, prints one line for each problem to standard error.
import { ConfigError, loadConfig } from '@waymark/service-kit';
import { startSchema } from './start-config.ts';

try {
  process.stdout.write(JSON.stringify(loadConfig(startSchema)));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(error.message);
  process.exitCode = 1;
}
