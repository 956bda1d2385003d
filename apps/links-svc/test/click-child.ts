import { once } from 'node:events';
import { analyticsV1, createGrpcClient } from '@waymark/proto';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { clickOf } from '../src/clicks/click.ts';
import { startClickSender } from '../src/clicks/click-sender.ts';
import { openClickSpool } from '../src/clicks/click-spool.ts';
import { NO_UTM } from '../src/clicks/utm.ts';

/**
 * A process that tests kill. It appends clicks to the spool in argv[2] and writes the id of each acknowledged click to
 * standard output. With a port in argv[3] it also sends the clicks to that port.
 */
const [directory, port] = process.argv.slice(2);
const logger = pino({ level: 'silent' });
const spool = openClickSpool(directory!, { maxBytes: 1e9, logger, registry: new Registry() });
if (port !== undefined) {
  const client = createGrpcClient(analyticsV1.AnalyticsService, { address: `127.0.0.1:${port}` });
  startClickSender({
    spool,
    logger,
    analytics: { client, identity: async () => 'signed' },
    existingLinks: async (ids) => ids,
    gatherMs: 5,
    maxBatch: 50,
  });
}
for (let i = 0; ; i += 1) {
  const clicks = Array.from({ length: 1 + (i % 7) }, (_, k) =>
    clickOf(
      { method: 'GET', headers: {}, referrer: '', host: '', query: '' },
      { clicksId: `link-${k}`, accountId: 'a', utm: NO_UTM },
      { country: 'DE', visitor: '' },
      Date.now(),
    ),
  );
  const written = await Promise.all(clicks.map((click) => spool.append(click)));
  const ids = clicks.filter((_, k) => written[k]).map(({ id }) => `${id}\n`);
  if (!process.stdout.write(ids.join(''))) await once(process.stdout, 'drain');
}
