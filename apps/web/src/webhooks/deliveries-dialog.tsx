import type { Delivery, Webhook } from '@waymark/contract';
import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { PageLoading } from '../components/page-loading.tsx';
import { useToast } from '../components/toast.tsx';
import { eventNames } from '../texts/activity.ts';
import { minuteText } from '../texts/locale.ts';
import { shared } from '../texts/shared.ts';
import { typeNames, webhooks } from '../texts/webhooks.ts';
import { useDeliveries, useWebhookActions } from './webhooks.ts';

const { deliveries: texts, replay: replayTexts } = webhooks;

/** The last deliveries of a webhook. What followed one of them can be sent again. */
export function DeliveriesDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { data, error, isPending, refetch } = useDeliveries(webhook.id);
  const { replay } = useWebhookActions();
  const [replaying, setReplaying] = useState<string | null>(null);
  const toast = useToast();
  return (
    <Dialog title={texts.of(webhook.url)} verbatim={webhook.url} placement="side" onClose={onClose}>
      <DialogBody>
        {isPending ? (
          <PageLoading />
        ) : data === undefined ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : data.deliveries.length === 0 ? (
          <p key="none" className="quiet">
            {texts.none}
          </p>
        ) : (
          <>
            <p className="quiet">{texts.text}</p>
            <ol className="deliveries" aria-label={texts.action}>
              {data.deliveries.map((delivery) => (
                <Row
                  key={`${delivery.event_id} ${delivery.attempt} ${delivery.at}`}
                  of={delivery}
                  onReplay={() => setReplaying(delivery.event_id)}
                />
              ))}
            </ol>
          </>
        )}
      </DialogBody>
      <DialogFooter>
        <Button onClick={onClose}>{shared.close}</Button>
      </DialogFooter>
      {replaying !== null && (
        <ConfirmDialog
          title={replayTexts.title}
          action={replayTexts.action}
          onConfirm={async () => {
            await replay(webhook.id, replaying);
            toast({ text: replayTexts.done });
          }}
          onClose={() => setReplaying(null)}
        >
          <p>{replayTexts.text}</p>
        </ConfirmDialog>
      )}
    </Dialog>
  );
}

function Row({ of: { type, attempt, status, duration_ms, at, error }, onReplay }: RowProps) {
  const name = typeNames[type] ?? type;
  return (
    <li>
      <div>
        <strong>{name}</strong>{' '}
        <span className={`badge ${error === null ? 'badge-success' : 'badge-expired'}`}>
          {status ?? texts.noResponse}
        </span>
        {error !== null && <p>{error}</p>}
        <p className="quiet">{texts.facts(minuteText(at), attempt, duration_ms)}</p>
      </div>
      {/* A test is no event of the log. */}
      {type in eventNames && (
        <Button size="s" aria-label={texts.replayOf(name, minuteText(at))} onClick={onReplay}>
          {texts.replay}
        </Button>
      )}
    </li>
  );
}

interface RowProps {
  of: Delivery;
  onReplay: () => void;
}
