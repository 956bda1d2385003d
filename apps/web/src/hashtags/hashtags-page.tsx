import type { HashtagCount } from '@waymark/contract';
import { Hash, Pencil, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { IconButton } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PageLoading } from '../components/page-loading.tsx';
import { Table } from '../components/table.tsx';
import { ToastRegion } from '../components/toast.tsx';
import { Words } from '../components/words.tsx';
import { shownNotice } from '../jobs/outcome.ts';
import { Link as RouteLink } from '../router.tsx';
import { mayEdit, useRole } from '../session/role.ts';
import { hashtags as texts } from '../texts/hashtags.ts';
import { numberText } from '../texts/locale.ts';
import { HashtagDialog, type HashtagEdit } from './hashtag-dialog.tsx';
import { useHashtags } from './hashtags.ts';
import './hashtags-page.css';

/** The view at `/app/hashtags`. */
export function HashtagsPage() {
  const { data, error, refetch } = useHashtags();
  const [open, setOpen] = useState<{ edit: HashtagEdit; hashtag: string } | null>(null);
  const canEdit = mayEdit(useRole());
  const notice = shownNotice(data);
  const cellsOf = ({ hashtag, links, clicks }: HashtagCount) => {
    const query = `hashtag=${encodeURIComponent(hashtag)}`;
    return [
      <RouteLink key="links" href={`/links?${query}`}>
        #{hashtag}
      </RouteLink>,
      numberText(links),
      <RouteLink key="analytics" href={`/analytics?${query}`} aria-label={texts.analytics(numberText(clicks), hashtag)}>
        <Words text={numberText(clicks)} />
      </RouteLink>,
      <div key="actions" className="hashtag-actions">
        <IconButton size="s" label={texts.rename(hashtag)} onClick={() => setOpen({ edit: 'rename', hashtag })}>
          <Icon of={Pencil} size={16} />
        </IconButton>
        <IconButton size="s" label={texts.remove(hashtag)} onClick={() => setOpen({ edit: 'remove', hashtag })}>
          <Icon of={Trash2} size={16} />
        </IconButton>
      </div>,
    ];
  };
  const columns = [
    { key: 'hashtag', head: texts.columns.hashtag, verbatim: true },
    { key: 'links', head: texts.columns.links, number: true },
    { key: 'clicks', head: texts.columns.clicks, number: true },
    { key: 'actions', head: <span className="visually-hidden">{texts.columns.actions}</span> },
  ].slice(0, canEdit ? 4 : 3);
  return (
    <>
      <PageHeader title={texts.title} />
      <ToastRegion />
      {data === undefined ? (
        error === null ? (
          <PageLoading />
        ) : (
          <div className="card">
            <ErrorState error={error} onRetry={() => void refetch()} />
          </div>
        )
      ) : (
        <>
          {notice && (
            <p key={notice} className="notice hashtags-notice">
              {notice}
            </p>
          )}
          <div className="card hashtags-card">
            {data.hashtags.length === 0 ? (
              <EmptyState icon={<Icon of={Hash} size={36} />} {...texts.empty} />
            ) : (
              <Table
                caption={texts.title}
                columns={columns}
                rows={data.hashtags.map((one) => ({ key: one.hashtag, cells: cellsOf(one).slice(0, columns.length) }))}
              />
            )}
          </div>
        </>
      )}
      {open && (
        <HashtagDialog
          {...open}
          known={data?.hashtags.map(({ hashtag }) => hashtag) ?? []}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}
