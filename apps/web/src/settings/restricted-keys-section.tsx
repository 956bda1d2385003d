import type { RestrictedKey } from '@waymark/contract';
import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { useToast } from '../components/toast.tsx';
import { Words } from '../components/words.tsx';
import { minuteText } from '../texts/locale.ts';
import { settings } from '../texts/settings.ts';
import { useKeyActions, type useRestrictedKeys } from './keys.ts';
import { RestrictedKeyForm } from './restricted-key-form.tsx';

const { restricted: texts, keys } = settings;

/** The restricted keys, with the buttons to create and delete them. */
export function RestrictedKeysSection({ query }: { query: ReturnType<typeof useRestrictedKeys> }) {
  const { data, error, isPending, isError, refetch } = query;
  const [isMaking, setIsMaking] = useState(false);
  const [deleting, setDeleting] = useState<RestrictedKey | null>(null);
  const { deleteRestricted } = useKeyActions();
  const toast = useToast();
  return (
    <section className="card settings-section" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p className="quiet">{texts.text}</p>
      {isError && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data?.keys.length === 0 ? (
        <p className="quiet">{texts.none}</p>
      ) : (
        <ul className="restricted-keys" aria-busy={isPending}>
          {data?.keys.map((key) => (
            <Row key={key.id} of={key} onDelete={() => setDeleting(key)} />
          ))}
        </ul>
      )}
      <div>
        <Button onClick={() => setIsMaking(true)}>{texts.make}</Button>
      </div>
      {isMaking && <RestrictedKeyForm onClose={() => setIsMaking(false)} />}
      {deleting && (
        <ConfirmDialog
          title={texts.deleteDialog.title(deleting.name)}
          verbatim={deleting.name}
          action={texts.deleteDialog.action}
          onConfirm={async () => {
            await deleteRestricted(deleting.id);
            toast({ text: texts.deleteDialog.done });
          }}
          onClose={() => setDeleting(null)}
        >
          <p>{texts.deleteDialog.text}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function Row({ of: key, onDelete }: { of: RestrictedKey; onDelete: () => void }) {
  const { name, hint, hashtag, actions, expires_at, created_at, last_used_at } = key;
  return (
    <li className="key-card">
      <div className="key-text">
        <strong dir="auto">{name}</strong>
        <p className="key-facts">
          <Words text={texts.links(key)} verbatim={hashtag === null ? undefined : `#${hashtag}`} />
          <span>{texts.may(actions)}</span>
          <span>{expires_at === null ? texts.neverExpires : texts.expires(minuteText(expires_at))}</span>
        </p>
        <p className="quiet key-facts">
          <code translate={false}>{hint}</code>
          <span>{keys.created(minuteText(created_at))}</span>
          <Words text={last_used_at === null ? keys.neverUsed : keys.lastUsed(minuteText(last_used_at))} />
        </p>
      </div>
      <Button aria-label={texts.deleteOf(name)} onClick={onDelete}>
        {texts.delete}
      </Button>
    </li>
  );
}
