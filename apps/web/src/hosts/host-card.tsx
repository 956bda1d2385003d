import type { Host } from '@waymark/contract';
import { useId, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useToast } from '../components/toast.tsx';
import { Words } from '../components/words.tsx';
import { hosts as texts } from '../texts/hosts.ts';
import { fieldLabels } from '../texts/links.ts';
import { minuteText } from '../texts/locale.ts';
import { DnsRecords } from './dns-records.tsx';
import { readableHost } from './host-name.ts';
import { useHostActions } from './hosts.ts';

interface HostCardProps {
  host: Host;
  /** True if new links begin with this host. */
  isForNewLinks: boolean;
  /** False for a key that may only read hosts. */
  canManage: boolean;
  onUseForNewLinks: (use: boolean) => void;
  onEdit: () => void;
  onDelete: () => void;
}

/** A host: its status, its DNS records, where it redirects to, and what can be done with it. */
export function HostCard({ host, isForNewLinks, canManage, onUseForNewLinks, onEdit, onDelete }: HostCardProps) {
  const id = useId();
  const card = useRef<HTMLElement>(null);
  const [answer, setAnswer] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const { verify } = useHostActions();
  const { busy, run } = useBusy();
  const toast = useToast();
  const { status, checked_at } = host;
  const name = readableHost(host.host);
  const look = async () => {
    setAnswer(null);
    setError(null);
    try {
      const now = await verify(host.id);
      if (now.status === 'verified') {
        toast({ text: texts.verify.done(name), verbatim: name });
        // The button that had the focus disappears.
        card.current?.focus();
      } else {
        const { silent, again } = texts.verify;
        setAnswer(now.notice === undefined ? silent : `${now.notice} ${again}`);
      }
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  return (
    <article ref={card} className="card host" aria-labelledby={id} tabIndex={-1}>
      <header className="host-header">
        <h2 id={id} translate={false}>
          {name}
        </h2>
        <span key={status} className={`badge host-${status}`}>
          {texts.statuses[status]}
        </span>
      </header>
      <p>
        <Words text={texts.explained[status]} />{' '}
        {checked_at !== null && <Words text={texts.checked(minuteText(checked_at))} />}
      </p>
      <DnsRecords host={host} />
      {status === 'verified' && (
        <dl className="host-redirects">
          {(['root_url', 'not_found_url'] as const).map((field) => (
            <div key={field}>
              <dt>{fieldLabels[field]}</dt>
              <dd
                key={host[field]}
                className={host[field] === null ? 'quiet' : undefined}
                translate={host[field] === null}
              >
                {host[field] ?? texts.redirects.none}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {status === 'verified' && (
        <label className="check">
          <input
            type="checkbox"
            checked={isForNewLinks}
            onChange={(event) => onUseForNewLinks(event.currentTarget.checked)}
          />
          {texts.forNewLinks}
        </label>
      )}
      {status !== 'verified' && (
        <>
          {answer !== null && (
            <p key={answer} className="notice" role="status">
              {answer}
            </p>
          )}
          <ErrorNotice text={error} />
        </>
      )}
      {canManage && (
        <div className="host-actions">
          {status !== 'verified' && (
            <Button aria-label={texts.verify.of(name)} busy={busy} onClick={() => run(look)}>
              {texts.verify.action}
            </Button>
          )}
          <Button aria-label={texts.redirects.editOf(name)} onClick={onEdit}>
            {texts.redirects.edit}
          </Button>
          <Button aria-label={texts.delete.of(name)} onClick={onDelete}>
            {texts.delete.action}
          </Button>
        </div>
      )}
    </article>
  );
}
