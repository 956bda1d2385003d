import { dateTimes64, nativeBlock, packed, sameDateTime, sameUInt64, texts, uuids } from '../database/native-block.ts';
import type { ClickTable } from '../database/schema.ts';
import type { Clicks } from './click.ts';

/** What all rows of an insert have in common. */
export interface IncomingBatch {
  /** The batch's name in the tables. */
  mark: bigint;
  /** The one table that the rows are for; empty for all. */
  only: ClickTable | '';
  receivedAtMs: number;
}

/** The rows of a batch for the table `incoming_clicks`, as one block. */
export function incomingBlock(clicks: Clicks, { mark, only, receivedAtMs }: IncomingBatch): Buffer {
  const { count } = clicks;
  return nativeBlock(count, [
    sameUInt64('batch', count, mark),
    texts('only', { values: [only], indexes: new Uint16Array(count) }),
    sameDateTime('received_at', count, Math.floor(receivedAtMs / 1000)),
    uuids('id', clicks.ids),
    packed('account_id', clicks.accountIds),
    packed('link_id', clicks.linkIds),
    dateTimes64('clicked_at', clicks.clickedAtMs),
    texts('source', clicks.sources),
    texts('device', clicks.devices),
    texts('verdict', clicks.verdicts),
  ]);
}
