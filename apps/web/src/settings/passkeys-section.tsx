import type { Passkey } from '@waymark/contract';
import { useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { TextField } from '../components/field.tsx';
import { useToast } from '../components/toast.tsx';
import { hasPasskeys } from '../session/passkeys.ts';
import { useRole } from '../session/role.ts';
import { minuteText } from '../texts/locale.ts';
import { session } from '../texts/session.ts';
import { settings } from '../texts/settings.ts';
import { usePasskeyActions, usePasskeys } from './passkeys.ts';

const { passkeys: texts } = settings;
const NAME_MAX_LENGTH = 50;

/** The passkeys of the account, with the buttons to add and delete them. */
export function PasskeysSection() {
  const { data, error, isPending, isError, refetch } = usePasskeys();
  const [deleting, setDeleting] = useState<Passkey | null>(null);
  const { remove } = usePasskeyActions();
  const toast = useToast();
  return (
    <section className="card settings-section" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p className="quiet">{texts.text}</p>
      {isError && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <ul className="passkeys" aria-busy={isPending}>
          {data?.passkeys.map((passkey) => (
            <li key={passkey.id}>
              <div>
                <strong dir="auto">{passkey.name}</strong>
                <p className="quiet key-facts">
                  <span>{settings.keys.created(minuteText(passkey.created_at))}</span>
                  <span>
                    {passkey.last_used_at === null
                      ? settings.keys.neverUsed
                      : settings.keys.lastUsed(minuteText(passkey.last_used_at))}
                  </span>
                </p>
              </div>
              <Button aria-label={texts.deleteOf(passkey.name)} onClick={() => setDeleting(passkey)}>
                {texts.delete}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {useRole() !== undefined ? null : hasPasskeys ? <AddPasskey /> : <p className="notice">{texts.unsupported}</p>}
      {deleting && (
        <ConfirmDialog
          title={texts.dialog.title(deleting.name)}
          verbatim={deleting.name}
          action={texts.dialog.action}
          onConfirm={async () => {
            await remove(deleting.id);
            toast({ text: texts.dialog.done });
          }}
          onClose={() => setDeleting(null)}
        >
          <p>{texts.dialog.text}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function AddPasskey() {
  const [name, setName] = useState('');
  const [error, setError] = useState<string | null>(null);
  const { busy, run } = useBusy();
  const { add } = usePasskeyActions();
  const toast = useToast();
  const save = async () => {
    setError(null);
    try {
      await add(name);
      setName('');
      toast({ text: session.passkey.added });
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  return (
    <form
      className="passkey-form"
      onSubmit={(event) => {
        event.preventDefault();
        void run(save);
      }}
    >
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        error={error}
        value={name}
        required
        maxLength={NAME_MAX_LENGTH}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" busy={busy}>
        {session.passkey.add}
      </Button>
    </form>
  );
}
