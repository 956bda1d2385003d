import type { Webhook } from '@waymark/contract';
import { Plus, Webhook as WebhookIcon } from 'lucide';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ActivityTabs } from '../activity/activity-tabs.tsx';
import { useAboveViews } from '../components/above-views.tsx';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PageLoading } from '../components/page-loading.tsx';
import { useToast } from '../components/toast.tsx';
import { mayManage, useRole } from '../session/role.ts';
import { webhooks as texts } from '../texts/webhooks.ts';
import { DeliveriesDialog } from './deliveries-dialog.tsx';
import { NewSecretDialog } from './new-secret-dialog.tsx';
import { WebhookCard, type WebhookDialog } from './webhook-card.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { useWebhookActions, useWebhooks } from './webhooks.ts';
import './webhooks-page.css';

/** What is open above the list. */
interface Open {
  what: WebhookDialog;
  webhook: Webhook;
}

/** The view at `/app/activity/webhooks`. */
export function WebhooksPage() {
  const canManage = mayManage(useRole());
  const [isAdding, setIsAdding] = useState(false);
  return (
    <>
      <PageHeader title={texts.title}>
        {canManage && (
          <Button variant="primary" onClick={() => setIsAdding(true)}>
            <Icon of={Plus} size={16} />
            {texts.add}
          </Button>
        )}
      </PageHeader>
      <ActivityTabs />
      {canManage ? <WebhookList /> : <p className="notice">{texts.ownersOnly}</p>}
      {isAdding && <WebhookForm webhook={null} onClose={() => setIsAdding(false)} />}
    </>
  );
}

function WebhookList() {
  const { data, error, isPending, refetch } = useWebhooks();
  const { rotateSecret, remove } = useWebhookActions();
  const [open, setOpen] = useState<Open | null>(null);
  const list = useRef<HTMLElement>(null);
  const isDeleted = useRef(false);
  const toast = useToast();
  const showAbove = useAboveViews();
  const close = () => setOpen(null);
  useLayoutEffect(() => {
    // The button that had the focus disappears with its card.
    if (open === null && isDeleted.current) list.current?.focus();
    isDeleted.current = false;
  }, [open]);
  if (isPending) return <PageLoading />;
  if (data === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <section ref={list} className="webhooks" aria-label={texts.title} tabIndex={-1}>
      {data.webhooks.length === 0 ? (
        <div className="card">
          <EmptyState icon={<Icon of={WebhookIcon} size={36} />} title={texts.empty.title} text={texts.empty.text} />
        </div>
      ) : (
        <p className="quiet">{texts.intro}</p>
      )}
      {data.webhooks.map((webhook) => (
        <WebhookCard key={webhook.id} webhook={webhook} onOpen={(what) => setOpen({ what, webhook })} />
      ))}
      {open?.what === 'edit' && <WebhookForm webhook={open.webhook} onClose={close} />}
      {open?.what === 'deliveries' && <DeliveriesDialog webhook={open.webhook} onClose={close} />}
      {open?.what === 'rotate' && (
        <ConfirmDialog
          title={texts.rotate.title}
          action={texts.rotate.confirm}
          uncertain={texts.rotate.uncertain}
          onConfirm={async () => {
            const secret = await rotateSecret(open.webhook.id);
            close();
            // Another view may be open by now.
            showAbove((closeSecret) => <NewSecretDialog secret={secret} onClose={closeSecret} />);
          }}
          onClose={close}
        >
          <p>{texts.rotate.text}</p>
        </ConfirmDialog>
      )}
      {open?.what === 'delete' && (
        <ConfirmDialog
          title={texts.delete.title}
          action={texts.delete.confirm}
          onConfirm={async () => {
            await remove(open.webhook.id);
            toast({ text: texts.delete.done });
            isDeleted.current = true;
          }}
          onClose={close}
        >
          <p translate={false}>
            <strong>{open.webhook.url}</strong>
          </p>
          <p>{texts.delete.text}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
