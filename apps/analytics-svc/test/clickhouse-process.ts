/** A ClickHouse in a process of its own, to be killed: prints its URL when it listens. */
import { startClickHouseServer } from '@waymark/embedded';

const { url } = await startClickHouseServer({ dataDir: process.env.DATA_DIR!, port: Number(process.env.PORT) });
process.stdout.write(`${url}\n`);
