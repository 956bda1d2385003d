import { useState } from 'preact/hooks';
import { ApiError, messageOf } from '../api/api-error.ts';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { useToast } from '../components/toast.tsx';
import { minuteText } from '../texts/locale.ts';
import { settings } from '../texts/settings.ts';
import { type AccountKey, type Scope, useKeyActions } from './keys.ts';
import { NewKeyDialog } from './new-key-dialog.tsx';

const { keys: texts } = settings;
/** Keeps the height of a line. */
const NOTHING_YET = '\u00a0';

/**
 * One of the two keys: what it is for, when it was used, and the buttons to create, rotate and revoke it. While it
 * loads, the card is as high as with a key, so that nothing moves.
 */
export function KeyCard({ scope, apiKey }: { scope: Scope; apiKey: AccountKey | 'loading' | undefined }) {
  const [asking, setAsking] = useState<'rotate' | 'revoke' | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const { rotate, revoke } = useKeyActions();
  const { busy, run } = useBusy();
  const toast = useToast();
  const { name, text } = texts[scope];
  const make = async () => {
    try {
      setMade(await rotate(scope));
    } catch (error) {
      const isUncertain = error instanceof ApiError && error.isUncertain;
      toast({ text: isUncertain ? `${messageOf(error)} ${texts.uncertain}` : messageOf(error), danger: true });
    }
  };
  return (
    <section className="key-card" aria-label={name}>
      <div className="key-text">
        <h3>
          {name}
          {scope === 'public_links_only' && <span className="badge badge-success">{texts.recommended}</span>}
        </h3>
        <p>{text}</p>
        {apiKey === undefined ? (
          <p className="quiet">{texts.none}</p>
        ) : apiKey === 'loading' ? (
          <p className="quiet key-facts" aria-hidden>
            {[0, 1, 2].map((line) => (
              <span key={line}>{NOTHING_YET}</span>
            ))}
          </p>
        ) : (
          <p className="quiet key-facts">
            {apiKey.hint !== null && <code>{apiKey.hint}</code>}
            <span>{texts.created(minuteText(apiKey.created_at))}</span>
            <span>
              {apiKey.last_used_at === null ? texts.neverUsed : texts.lastUsed(minuteText(apiKey.last_used_at))}
            </span>
          </p>
        )}
      </div>
      <div className="key-actions">
        {apiKey === undefined ? (
          <Button busy={busy} onClick={() => run(make)}>
            {texts.make}
          </Button>
        ) : (
          <>
            <Button disabled={apiKey === 'loading'} onClick={() => setAsking('rotate')}>
              {texts.rotate}
            </Button>
            <Button disabled={apiKey === 'loading'} onClick={() => setAsking('revoke')}>
              {texts.revoke}
            </Button>
          </>
        )}
      </div>
      {asking === 'rotate' && (
        <ConfirmDialog
          title={texts.rotateDialog.title(name)}
          action={texts.rotateDialog.action}
          uncertain={texts.uncertain}
          onConfirm={async () => setMade(await rotate(scope))}
          onClose={() => setAsking(null)}
        >
          <p>{texts.rotateDialog.text}</p>
        </ConfirmDialog>
      )}
      {asking === 'revoke' && (
        <ConfirmDialog
          title={texts.revokeDialog.title(name)}
          action={texts.revokeDialog.action}
          onConfirm={async () => {
            await revoke(scope);
            toast({ text: texts.revokeDialog.done });
          }}
          onClose={() => setAsking(null)}
        >
          <p>{texts.revokeDialog.text}</p>
        </ConfirmDialog>
      )}
      {made !== null && asking === null && <NewKeyDialog name={name} apiKey={made} onClose={() => setMade(null)} />}
    </section>
  );
}
