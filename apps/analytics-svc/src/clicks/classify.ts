import type { Click, RawClick } from './click.ts';
import type { SourceOf } from './source.ts';
import { visitorOf } from './visitor.ts';

/** What a click counts as: its verdict, its device and its source. */
export function classify(click: RawClick, sourceOf: SourceOf): Click {
  const visitor = visitorOf(click.userAgent);
  return {
    id: click.id,
    accountId: click.accountId,
    linkId: click.linkId,
    clickedAtMs: click.clickedAtMs,
    source: sourceOf(click),
    device: visitor.device,
    verdict: click.prefetch ? 'prefetch' : (visitor.notCounted ?? 'counted'),
  };
}
