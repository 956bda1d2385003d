import { WaymarkError } from '@waymark/client';
import type { AccountKey, Scope } from '@waymark/contract';
import { useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { useAboveViews } from '../components/above-views.tsx';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { SelectField } from '../components/field.tsx';
import { useToast } from '../components/toast.tsx';
import { Words } from '../components/words.tsx';
import { minuteText } from '../texts/locale.ts';
import { settings } from '../texts/settings.ts';
import { useKeyActions } from './keys.ts';
import { NewKeyDialog } from './new-key-dialog.tsx';

const { keys: texts } = settings;
/** Keeps the height of a line. */
const NOTHING_YET = '\u00a0';

/**
 * One of the two keys: what it is for, when it was used, and the buttons to create, rotate and revoke it. While it
 * loads, the card is as high as with a key, so that nothing moves.
 */
export function KeyCard({ scope, apiKey }: { scope: Scope; apiKey: AccountKey | 'loading' | undefined }) {
  const [asking, setAsking] = useState<'make' | 'rotate' | 'revoke' | null>(null);
  const [graceSeconds, setGraceSeconds] = useState(0);
  const { rotate, revoke } = useKeyActions();
  const { busy, run } = useBusy();
  const toast = useToast();
  const showAbove = useAboveViews();
  const { name, text } = texts[scope];
  const current = apiKey === 'loading' ? undefined : apiKey;
  const isUnused = current?.last_used_at === null;
  const oldKey = current?.old_key;
  // Not what the list says by now: the words of an open dialog stay.
  const asked = asking === 'make' ? texts.makeDialog : texts.rotateDialog;
  const make = async () => {
    const made = await rotate(scope, graceSeconds);
    setAsking(null);
    // Another view may be open by now.
    showAbove((close) => <NewKeyDialog name={name} apiKey={made} onClose={close} />);
  };
  const makeAtOnce = async () => {
    try {
      await make();
    } catch (error) {
      const isUncertain = error instanceof WaymarkError && error.isUncertain;
      toast({ text: isUncertain ? `${messageOf(error)} ${texts.uncertain}` : messageOf(error), danger: true });
    }
  };
  const ending = oldKey && (
    <p className="notice">
      <Words text={texts.oldKeyEnds(oldKey.hint)} verbatim={oldKey.hint} />
    </p>
  );
  return (
    <section className="key-card" aria-label={name}>
      <div className="key-text">
        <h3>
          {name}
          {scope === 'public_links_only' && <span className="badge badge-success">{texts.recommended}</span>}
        </h3>
        <p>{text}</p>
        {apiKey === undefined ? (
          <p key="none" className="quiet">
            {texts.none}
          </p>
        ) : apiKey === 'loading' ? (
          <p key="loading" className="quiet key-facts" aria-hidden>
            {[0, 1, 2].map((line) => (
              <span key={line}>{NOTHING_YET}</span>
            ))}
          </p>
        ) : (
          <p key="facts" className="quiet key-facts">
            {apiKey.hint !== null && <code translate={false}>{apiKey.hint}</code>}
            <Words text={texts.created(minuteText(apiKey.created_at))} />
            <Words
              text={apiKey.last_used_at === null ? texts.neverUsed : texts.lastUsed(minuteText(apiKey.last_used_at))}
            />
            {oldKey && <Words text={texts.oldKey(oldKey.hint, minuteText(oldKey.expires_at))} verbatim={oldKey.hint} />}
          </p>
        )}
      </div>
      <div className="key-actions">
        {apiKey === undefined ? (
          <Button busy={busy} onClick={() => run(makeAtOnce)}>
            {texts.make}
          </Button>
        ) : (
          <>
            <Button
              variant={isUnused && scope === 'public_links_only' ? 'primary' : 'secondary'}
              disabled={apiKey === 'loading'}
              onClick={() => {
                setGraceSeconds(0);
                setAsking(isUnused ? 'make' : 'rotate');
              }}
            >
              <Words text={isUnused ? texts.makeAnew : texts.rotate} />
            </Button>
            <Button disabled={apiKey === 'loading'} onClick={() => setAsking('revoke')}>
              {texts.revoke}
            </Button>
          </>
        )}
      </div>
      {(asking === 'make' || asking === 'rotate') && (
        <ConfirmDialog
          title={asked.title(name)}
          action={asked.action}
          uncertain={texts.uncertain}
          onConfirm={make}
          onClose={() => setAsking(null)}
        >
          <p>{asked.text}</p>
          {asking === 'rotate' && (
            <SelectField
              label={texts.rotateDialog.grace}
              hint={texts.rotateDialog.graceHint}
              value={graceSeconds}
              onChange={(event) => setGraceSeconds(Number(event.currentTarget.value))}
            >
              {texts.rotateDialog.graces.map(({ seconds, text }) => (
                <option key={seconds} value={seconds}>
                  {text}
                </option>
              ))}
            </SelectField>
          )}
          {ending}
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
          {ending}
        </ConfirmDialog>
      )}
    </section>
  );
}
