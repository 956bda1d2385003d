import { create } from '@bufbuild/protobuf';
import { type Clicks, ClicksSchema, type TextColumn } from '../gen/analytics/v1/analytics_pb.ts';

/** One answered redirect, as its request told of it. */
export interface ReportedClick {
  /** A UUID in 32 hexadecimal digits. */
  id: string;
  accountId: string;
  linkId: string;
  /** Whole milliseconds since the epoch. */
  clickedAtMs: number;
  userAgent: string;
  referrer: string;
  utmSource: string;
  prefetch: boolean;
}

/** Clicks as a message: their columns. Throws where an id or a time is none. */
export function clicksToMessage(clicks: readonly ReportedClick[]): Clicks {
  return create(ClicksSchema, {
    ids: idBytes(clicks),
    clickedAtMs: clicks.map(({ clickedAtMs }) => BigInt(clickedAtMs)),
    accountIds: textColumn(clicks, ({ accountId }) => accountId),
    linkIds: textColumn(clicks, ({ linkId }) => linkId),
    userAgents: textColumn(clicks, ({ userAgent }) => userAgent),
    referrers: textColumn(clicks, ({ referrer }) => referrer),
    utmSources: textColumn(clicks, ({ utmSource }) => utmSource),
    prefetch: clicks.map(({ prefetch }) => prefetch),
  });
}

/** The inverse of {@link clicksToMessage}, for a message whose columns go together. */
export function clicksFromMessage(message: Clicks): ReportedClick[] {
  const ids = Buffer.from(message.ids).toString('hex');
  const textOf = (column: TextColumn | undefined, index: number) => column?.texts[column.indexes[index]!] ?? '';
  return message.clickedAtMs.map((atMs, index) => ({
    id: ids.slice(index * ID_DIGITS, (index + 1) * ID_DIGITS),
    accountId: textOf(message.accountIds, index),
    linkId: textOf(message.linkIds, index),
    clickedAtMs: Number(atMs),
    userAgent: textOf(message.userAgents, index),
    referrer: textOf(message.referrers, index),
    utmSource: textOf(message.utmSources, index),
    prefetch: message.prefetch[index]!,
  }));
}

const ID_BYTES = 16;
const ID_DIGITS = 2 * ID_BYTES;

function idBytes(clicks: readonly ReportedClick[]): Buffer {
  const bytes = Buffer.allocUnsafe(clicks.length * ID_BYTES);
  for (const [index, { id }] of clicks.entries()) {
    const written = bytes.write(id, index * ID_BYTES, ID_BYTES, 'hex');
    if (id.length !== ID_DIGITS || written !== ID_BYTES) throw new TypeError('an id of a click is no UUID');
  }
  return bytes;
}

function textColumn(clicks: readonly ReportedClick[], textOf: (click: ReportedClick) => string) {
  const indexOf = new Map<string, number>();
  const indexes = clicks.map((click) => {
    const text = textOf(click);
    let index = indexOf.get(text);
    if (index === undefined) {
      index = indexOf.size;
      indexOf.set(text, index);
    }
    return index;
  });
  return { texts: [...indexOf.keys()], indexes };
}
