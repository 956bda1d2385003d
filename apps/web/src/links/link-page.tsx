import { WaymarkError } from '@waymark/client';
import type { Link } from '@waymark/contract';
import { Archive, ArchiveRestore, ArrowLeft, ChartColumn, History, Pencil, Trash2 } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy-text.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PageLoading } from '../components/page-loading.tsx';
import { useToast } from '../components/toast.tsx';
import { Words } from '../components/words.tsx';
import { readableHost } from '../hosts/host-name.ts';
import { Link as RouteLink, useLocation, useParameters } from '../router.tsx';
import { mayEdit, useRole } from '../session/role.ts';
import { DEFAULT_HOST, linkName } from '../short-url.ts';
import { link as texts } from '../texts/link.ts';
import { linkForm } from '../texts/link-form.ts';
import { fieldLabels, links, visibilities, visibilityHints } from '../texts/links.ts';
import { minuteText, numberText } from '../texts/locale.ts';
import { DeleteLinkDialog } from './delete-link-dialog.tsx';
import { LinkBadges } from './link-badges.tsx';
import { LinkForm } from './link-form.tsx';
import { linkActivityPath, pathOfList } from './link-path.ts';
import { QrDownloads } from './qr-dialog.tsx';
import { QrImage } from './qr-image.tsx';
import { ruleText, ruleValuesOf } from './rule-values.ts';
import { useLink } from './use-link.ts';
import { deleteLink, useArchive, useLinkChanged } from './use-links.ts';
import './link-page.css';

const QR_PIXELS = 168;

/** The view at `/app/links/{id}`. */
export function LinkPage() {
  const { id } = useParameters();
  const { data, error, isPending, refetch } = useLink(id);
  const [list] = useState(pathOfList);
  // The list may have been scrolled down.
  useLayoutEffect(() => scrollTo({ top: 0 }), []);
  // It may have been deleted since it was loaded.
  const isGone = error instanceof WaymarkError && error.status === 404;
  return (
    <>
      <RouteLink className="link-back" href={list}>
        <Icon of={ArrowLeft} size={16} />
        {links.title}
      </RouteLink>
      {isGone ? (
        <>
          <PageHeader title={texts.gone.title} />
          <EmptyState text={texts.gone.text} />
        </>
      ) : data !== undefined ? (
        <OneLink link={data} list={list} />
      ) : (
        <>
          <PageHeader title={texts.label} />
          {isPending ? <PageLoading /> : <ErrorState error={error} onRetry={() => void refetch()} />}
        </>
      )}
    </>
  );
}

function OneLink({ link, list }: { link: Link; list: string }) {
  const canEdit = mayEdit(useRole());
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const [, navigate] = useLocation();
  const archive = useArchive();
  const changed = useLinkChanged();
  const toast = useToast();
  const name = linkName(link);
  const close = () => setOpen(null);
  const remove = async () => {
    await deleteLink(link.id);
    navigate(list, { replace: true });
    changed(link.id, null);
    toast({ text: links.deleteOne.done });
  };
  return (
    <>
      <PageHeader title={name} verbatim>
        {canEdit && (
          <>
            <Button variant="primary" onClick={() => setOpen('edit')}>
              <Icon of={Pencil} size={16} />
              {links.menu.edit}
            </Button>
            <Button key={String(link.archived)} onClick={() => archive(link, !link.archived)}>
              <Icon of={link.archived ? ArchiveRestore : Archive} size={16} />
              {link.archived ? links.menu.unarchive : links.menu.archive}
            </Button>
            <Button onClick={() => setOpen('delete')}>
              <Icon of={Trash2} size={16} />
              {links.menu.delete}
            </Button>
          </>
        )}
      </PageHeader>
      <div className="link-page">
        <section className="card link-facts" aria-label={texts.label}>
          <div className="link-facts-short">
            <a href={link.short_url} target="_blank" rel="noreferrer">
              <Words text={link.short_url} verbatim={link.short_url} />
            </a>
            <CopyButton text={link.short_url} label={links.copyUrl(name)} copied={links.copied(link.short_url)} />
            <LinkBadges link={link} />
          </div>
          <Facts key={link.updated_at} link={link} />
        </section>
        <section className="card link-clicks" aria-label={texts.clicks}>
          <h2>{texts.clicks}</h2>
          <strong>
            <Words text={numberText(link.clicks)} />
          </strong>
          <p className="quiet">
            <Words
              text={
                link.last_clicked_at === null ? texts.neverClicked : texts.lastClicked(minuteText(link.last_clicked_at))
              }
            />
          </p>
          <RouteLink href={`/analytics?link_id=${encodeURIComponent(link.id)}`} aria-label={links.openAnalytics(name)}>
            <Icon of={ChartColumn} size={16} />
            {texts.analytics}
          </RouteLink>
          <RouteLink href={linkActivityPath(link)} aria-label={texts.historyOf(name)}>
            <Icon of={History} size={16} />
            {texts.history}
          </RouteLink>
        </section>
        <section className="card link-qr" aria-label={texts.qr}>
          <QrImage link={link} pixels={QR_PIXELS} />
          <div className="link-qr-actions">
            <QrDownloads link={link} />
          </div>
        </section>
      </div>
      {open === 'edit' && <LinkForm link={link} onClose={close} />}
      {open === 'delete' && <DeleteLinkDialog link={link} onConfirm={remove} onClose={close} />}
    </>
  );
}

/** What the link has, without what is empty. */
function Facts({ link }: { link: Link }) {
  const { destination_url, host, title, description, note, hashtags, visibility, expires_at, expired_url } = link;
  return (
    <dl>
      <Fact label={fieldLabels.destination_url}>
        <Destination url={destination_url} />
      </Fact>
      <Fact label={fieldLabels.host}>
        <span translate={false}>{host === null ? DEFAULT_HOST : readableHost(host)}</span>
      </Fact>
      <Fact label={fieldLabels.title}>{title}</Fact>
      <Fact label={fieldLabels.description}>{description}</Fact>
      <Fact label={fieldLabels.note}>{note}</Fact>
      <Fact label={fieldLabels.hashtags}>
        {hashtags.length > 0 && (
          <div className="hashtags" translate={false}>
            {hashtags.map((tag) => (
              <RouteLink key={tag} className="hashtag" dir="auto" href={`/links?hashtag=${encodeURIComponent(tag)}`}>
                #{tag}
              </RouteLink>
            ))}
          </div>
        )}
      </Fact>
      <Fact label={fieldLabels.visibility}>
        {visibilities[visibility]}
        <div className="quiet">{visibilityHints[visibility]}</div>
      </Fact>
      <Fact label={fieldLabels.expires_at}>{expires_at !== null && minuteText(expires_at)}</Fact>
      <Fact label={fieldLabels.max_clicks}>{link.max_clicks !== null && numberText(link.max_clicks)}</Fact>
      <Fact label={fieldLabels.expired_url}>{expired_url !== null && <Destination url={expired_url} />}</Fact>
      <Fact label={fieldLabels.redirect_code}>
        {link.redirect_code !== 302 && linkForm.redirectCodes[link.redirect_code]}
      </Fact>
      <Fact label={fieldLabels.rules}>
        {link.rules.length > 0 && (
          <ol className="link-rules">
            {link.rules.map((rule, index) => (
              <li key={index}>
                {ruleText(ruleValuesOf(rule))}: <Destination url={rule.to} />
              </li>
            ))}
          </ol>
        )}
      </Fact>
      {(['social_title', 'social_description', 'social_image_url', 'managed_by'] as const).map((name) => (
        <Fact key={name} label={fieldLabels[name]}>
          {link[name] !== null && <span translate={name === 'managed_by' ? false : undefined}>{link[name]}</span>}
        </Fact>
      ))}
      <Fact label={fieldLabels.created_at}>{minuteText(link.created_at)}</Fact>
      <Fact label={texts.changedAt}>{minuteText(link.updated_at)}</Fact>
    </dl>
  );
}

function Fact({ label, children }: { label: string | undefined; children: ComponentChildren }) {
  if (!children) return null;
  return (
    <div>
      <dt>{label}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}

function Destination({ url }: { url: string }) {
  return (
    <a href={url} target="_blank" rel="noreferrer">
      <Words text={url} verbatim={url} />
    </a>
  );
}
