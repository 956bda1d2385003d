import type { Host } from '@waymark/contract';
import { Globe, Plus } from 'lucide';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PageLoading } from '../components/page-loading.tsx';
import { useToast } from '../components/toast.tsx';
import { cleanUrl, hostOf } from '../pasted-url.ts';
import { mayManage, useRole } from '../session/role.ts';
import { DEFAULT_HOST } from '../short-url.ts';
import { hosts as texts } from '../texts/hosts.ts';
import { fieldLabels } from '../texts/links.ts';
import { readHostOfNewLinks, rememberHostOfNewLinks } from './default-host.ts';
import { HostCard } from './host-card.tsx';
import { HostDialog } from './host-dialog.tsx';
import { readableHost } from './host-name.ts';
import { useHostActions, useHosts } from './hosts.ts';
import './hosts-page.css';

/** What is open above the list. */
type Open = { what: 'add' } | { what: 'edit' | 'delete'; host: Host };

/** The view at `/app/hosts`. */
export function HostsPage() {
  const { data, error, isPending, refetch } = useHosts();
  const { add, update, remove } = useHostActions();
  const [open, setOpen] = useState<Open | null>(null);
  const [forNewLinks, setForNewLinks] = useState(readHostOfNewLinks);
  const useForNewLinks = (host: string | null) => {
    rememberHostOfNewLinks(host);
    setForNewLinks(host);
  };
  const canManage = mayManage(useRole());
  const toast = useToast();
  const list = useRef<HTMLElement>(null);
  const close = () => setOpen(null);
  const openAdd = () => setOpen({ what: 'add' });
  const isDeleted = useRef(false);
  useLayoutEffect(() => {
    // The button that had the focus disappears with its card.
    if (open === null && isDeleted.current) list.current?.focus();
    isDeleted.current = false;
  }, [open]);
  return (
    <>
      <PageHeader title={texts.title}>
        {canManage && (
          <Button variant="primary" onClick={openAdd}>
            <Icon of={Plus} size={16} />
            {texts.add}
          </Button>
        )}
      </PageHeader>
      {!canManage && <p className="notice">{texts.readOnly}</p>}
      {isPending ? (
        <PageLoading />
      ) : data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <section ref={list} className="hosts" aria-label={texts.title} tabIndex={-1}>
          {data.hosts.length === 0 ? (
            <div className="card">
              <EmptyState
                icon={<Icon of={Globe} size={36} />}
                title={texts.empty.title}
                text={texts.empty.text(DEFAULT_HOST)}
              />
            </div>
          ) : (
            <p className="quiet">{texts.intro(DEFAULT_HOST)}</p>
          )}
          {data.hosts.map((host) => (
            <HostCard
              key={host.id}
              host={host}
              isForNewLinks={host.host === forNewLinks}
              onUseForNewLinks={(use) => useForNewLinks(use ? host.host : null)}
              canManage={canManage}
              onEdit={() => setOpen({ what: 'edit', host })}
              onDelete={() => setOpen({ what: 'delete', host })}
            />
          ))}
        </section>
      )}
      {open?.what === 'add' && (
        <HostDialog
          title={texts.add}
          fields={[{ name: 'host', label: texts.form.label, hint: texts.form.hint, value: '' }]}
          action={texts.add}
          clean={hostOf}
          onSave={async ({ host }) => {
            const added = readableHost((await add(host)).host);
            toast({ text: texts.form.added(added), verbatim: added });
          }}
          onClose={close}
        />
      )}
      {open?.what === 'edit' && (
        <HostDialog
          title={texts.redirects.title(readableHost(open.host.host))}
          verbatim={readableHost(open.host.host)}
          fields={(['root_url', 'not_found_url'] as const).map((name) => ({
            name,
            label: fieldLabels[name]!,
            hint: texts.redirects.hints[name],
            value: open.host[name] ?? '',
          }))}
          action={texts.redirects.save}
          clean={cleanUrl}
          onSave={async (redirects) => {
            await update(open.host.id, redirects);
            toast({ text: texts.redirects.saved });
          }}
          onClose={close}
        />
      )}
      {open?.what === 'delete' && (
        <ConfirmDialog
          title={texts.delete.title(readableHost(open.host.host))}
          verbatim={readableHost(open.host.host)}
          action={texts.delete.confirm}
          onConfirm={async () => {
            await remove(open.host.id);
            toast({ text: texts.delete.done });
            isDeleted.current = true;
          }}
          onClose={close}
        >
          <p>{texts.delete.text}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
