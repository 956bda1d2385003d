/** Runs ClickHouse in its own process, so that tests can kill it. Prints its URL when it listens. */
import { credentialsIn, startClickHouseServer } from '@waymark/embedded';

const { url } = await startClickHouseServer({
  dataDir: process.env.DATA_DIR!,
  credentials: credentialsIn(process.env),
  port: Number(process.env.PORT),
});
process.stdout.write(`${url}\n`);
