import type { Webhook } from '@waymark/contract';
import { useId, useRef } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { useToast } from '../components/toast.tsx';
import { Words } from '../components/words.tsx';
import { minuteText } from '../texts/locale.ts';
import { webhooks as texts, typeNames } from '../texts/webhooks.ts';
import { useWebhookActions } from './webhooks.ts';

/** What can be opened above the list, about one webhook. */
export type WebhookDialog = 'deliveries' | 'edit' | 'rotate' | 'delete';

/** A webhook: what it sends where, why it is disabled, and what can be done with it. */
export function WebhookCard({ webhook, onOpen }: { webhook: Webhook; onOpen: (dialog: WebhookDialog) => void }) {
  const id = useId();
  const card = useRef<HTMLElement>(null);
  const { test, update } = useWebhookActions();
  const { busy, run } = useBusy();
  const toast = useToast();
  const { url, enabled, disabled_reason, failing_since, notice, types, scope, hashtag } = webhook;
  const state = enabled ? 'enabled' : 'disabled';
  const other = enabled ? texts.disable : texts.enable;
  const warnings = [
    disabled_reason !== null && texts.disabled(disabled_reason),
    enabled && failing_since !== null && texts.failing(minuteText(failing_since)),
    notice,
  ].filter((text) => typeof text === 'string');
  const opening = (dialog: WebhookDialog) => (
    <Button aria-label={texts[dialog].of(url)} onClick={() => onOpen(dialog)}>
      {texts[dialog].action}
    </Button>
  );
  const act = (work: () => Promise<unknown>) =>
    run(async () => {
      try {
        await work();
      } catch (error) {
        toast({ text: messageOf(error), danger: true });
      }
    });
  return (
    <article ref={card} className="card webhook" aria-labelledby={id} tabIndex={-1}>
      <header className="webhook-header">
        <h2 id={id} translate={false}>
          {url}
        </h2>
        <span key={state} className={`badge ${enabled ? 'badge-success' : 'badge-expired'}`}>
          {texts.states[state]}
        </span>
      </header>
      {warnings.map((text) => (
        <p key={text} className="notice notice-danger">
          {text}
        </p>
      ))}
      <dl className="webhook-facts">
        <div>
          <dt>{texts.form.types}</dt>
          <dd>
            <Words text={types.map((type) => typeNames[type] ?? type).join(', ')} />
          </dd>
        </div>
        <div>
          <dt>{texts.form.scope}</dt>
          <dd>
            <Words text={texts.links(scope, hashtag)} verbatim={hashtag === null ? undefined : `#${hashtag}`} />
          </dd>
        </div>
      </dl>
      <div className="webhook-actions">
        <Button
          aria-label={texts.test.of(url)}
          busy={busy}
          onClick={() =>
            act(async () => {
              await test(webhook.id);
              const action = { text: texts.deliveries.action, run: () => onOpen('deliveries') };
              toast({ text: texts.test.done, action });
            })
          }
        >
          {texts.test.action}
        </Button>
        {opening('deliveries')}
        {opening('edit')}
        <Button
          key={state}
          aria-label={other.of(url)}
          busy={busy}
          onClick={() =>
            act(async () => {
              await update(webhook.id, { enabled: !enabled });
              toast({ text: other.done });
              // The button that had the focus is replaced.
              card.current?.focus();
            })
          }
        >
          {other.action}
        </Button>
        {opening('rotate')}
        {opening('delete')}
      </div>
    </article>
  );
}
