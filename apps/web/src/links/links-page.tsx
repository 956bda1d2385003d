import type { Link } from '@waymark/contract';
import { Download, Link2, Plus, Upload } from 'lucide';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { useDroppedFile } from '../components/dropped-file.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { Icon } from '../components/icon.tsx';
import { useLongWork } from '../components/long-work.ts';
import { PageHeader } from '../components/page-header.tsx';
import { ToastRegion, useToast } from '../components/toast.tsx';
import { Link as RouteLink } from '../router.tsx';
import { saveCsv } from '../save-file.ts';
import { useSearchState } from '../search-params.ts';
import { mayEdit, useRole } from '../session/role.ts';
import { PasskeyOffer } from '../settings/passkey-offer.tsx';
import { links } from '../texts/links.ts';
import { BulkBar } from './bulk-bar.tsx';
import type { BulkEdit, BulkTarget } from './bulk-change.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { DeleteLinkDialog } from './delete-link-dialog.tsx';
import { FilterBar } from './filter-bar.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { LazyLinkForm, LazySavedFilters } from './lazy-dialogs.tsx';
import {
  FILTER_NAMES,
  filterQuery,
  isFiltered,
  jobFilter,
  type LinkView,
  lastPageOf,
  orderOf,
  PER_PAGE,
  QUERY_NAMES,
} from './link-query.ts';
import { LinkReady } from './link-ready.tsx';
import { LinkTable } from './link-table.tsx';
import { exportCsv } from './matching-links.ts';
import { Pagination } from './pagination.tsx';
import { QrDialog } from './qr-dialog.tsx';
import { deleteLink, useArchive, useLinkChanged, useLinkPage } from './use-links.ts';
import './links-page.css';

/** What is open above the list. */
type Open =
  | { what: 'create' | 'saved' }
  | { what: 'import'; dropped: File | null }
  | { what: 'edit' | 'qr' | 'delete'; link: Link }
  | { what: 'bulk'; edit: BulkEdit; target: BulkTarget };

interface Selection {
  /** The filters of the list when the links were selected. */
  filters: string;
  /** Those that were ticked, or all that match the filters. */
  links: ReadonlyMap<string, Link> | 'matching';
}

const NONE: ReadonlyMap<string, Link> = new Map();

const NO_FILTERS: LinkView = Object.fromEntries(['q', ...FILTER_NAMES].map((name) => [name, undefined]));

/** The view at `/app/links`. */
export function LinksPage() {
  const canEdit = mayEdit(useRole());
  const [view, setView] = useSearchState(QUERY_NAMES);
  const [open, setOpen] = useState<Open | null>(null);
  const filters = JSON.stringify(filterQuery(view));
  const [selection, setSelection] = useState<Selection>({ filters, links: NONE });
  // Clears the selection when the filters change, also by the back button: the user no longer sees what is selected.
  if (selection.filters !== filters) setSelection({ filters, links: NONE });
  const selected = selection.links;
  const setSelected = (next: Selection['links']) => setSelection({ filters, links: next });
  const [ready, setReady] = useState<Link | null>(null);
  const [exporting, setExporting] = useState(false);
  const list = useRef<HTMLElement>(null);
  const focusList = useCallback(() => list.current?.focus({ preventScroll: true }), []);
  const { query, onFollow } = useLinkPage(view);
  const { data, error, isPending, isPlaceholderData, refetch } = query;
  const archive = useArchive();
  const changed = useLinkChanged();
  const toast = useToast();
  const runLongWork = useLongWork();
  const close = useCallback(() => setOpen(null), []);
  const isDragged = useDroppedFile((dropped) => {
    if (canEdit && (open === null || open.what === 'import')) setOpen({ what: 'import', dropped });
  });

  // The last row of the last page may have been deleted, archived or filtered away.
  const lastPage = data === undefined ? 1 : lastPageOf(data);
  const isBeyondLast = data !== undefined && data.page > lastPage;
  useEffect(() => {
    if (isBeyondLast && !isPlaceholderData) setView({ page: inAddress(lastPage, 1) }, { replace: true });
  }, [isBeyondLast, isPlaceholderData, lastPage, setView]);

  const isDeleted = useRef(false);
  useLayoutEffect(() => {
    // The button that had the focus disappears with its row.
    if (open === null && isDeleted.current) focusList();
    isDeleted.current = false;
  }, [open, focusList]);

  const count = selected === 'matching' ? (data?.total ?? 0) : selected.size;
  const nothingSelected = count === 0;
  const selectedBefore = useRef(false);
  useEffect(() => {
    // The bar had the focus.
    const cleared = nothingSelected && selectedBefore.current;
    selectedBefore.current = !nothingSelected;
    if (cleared && document.activeElement === document.body) focusList();
  }, [nothingSelected, focusList]);

  const changeView = (changes: LinkView, options?: { replace?: boolean }) =>
    setView({ ...changes, page: undefined }, options);
  const goToPage = (page: number) => {
    setView({ page: inAddress(page, 1) });
    focusList();
    scrollTo({ top: 0 });
  };
  /** Returns the ticked links. If all that match are selected, returns those of this page. */
  const ticked = () => new Map(selected === 'matching' ? data!.links.map((link) => [link.id, link]) : selected);
  const select = (ids: readonly string[], checked: boolean) => {
    const next = ticked();
    for (const id of ids) {
      if (checked) next.set(id, data!.links.find((link) => link.id === id)!);
      else next.delete(id);
    }
    setSelected(next);
  };
  const unselect = ({ id }: Link) => {
    if (selected === 'matching') return;
    const next = ticked();
    next.delete(id);
    setSelected(next);
  };
  const save = async () => {
    setExporting(true);
    await runLongWork(async (signal, report) => {
      report(links.exporting(0));
      saveCsv(await exportCsv(view, signal, (bytes) => report(links.exporting(bytes))), 'links.csv');
      toast({ text: links.exported });
    });
    setExporting(false);
  };
  const remove = async (link: Link) => {
    await deleteLink(link.id);
    unselect(link);
    if (ready?.id === link.id) setReady(null);
    changed(link.id, null);
    toast({ text: links.deleteOne.done });
    isDeleted.current = true;
  };
  const onArchive = async (link: Link) => {
    await archive(link, !link.archived);
    unselect(link);
    // The row may be gone, and the focus with it.
    focusList();
  };

  const target: BulkTarget =
    selected === 'matching'
      ? { filter: jobFilter(view), count, ticked: null }
      : { filter: { ids: [...selected.keys()] }, count, ticked: [...selected.values()] };
  return (
    <>
      <PageHeader title={links.title}>
        {canEdit && (
          <Button onClick={() => setOpen({ what: 'import', dropped: null })}>
            <Icon of={Upload} size={16} />
            {links.import}
          </Button>
        )}
        <Button busy={exporting} onClick={save}>
          <Icon of={Download} size={16} />
          {links.export}
        </Button>
        {canEdit && (
          <Button variant="primary" onClick={() => setOpen({ what: 'create' })}>
            <Icon of={Plus} size={16} />
            {links.create}
          </Button>
        )}
      </PageHeader>
      <PasskeyOffer onClose={focusList} />
      <LinkReady link={ready} onQr={(link) => setOpen({ what: 'qr', link })} onClose={() => setReady(null)} />
      <FilterBar view={view} onChange={changeView} onSaved={() => setOpen({ what: 'saved' })} />
      <section ref={list} className="links-list" aria-label={links.title} tabIndex={-1}>
        <ToastRegion />
        <div className="card" aria-busy={isPending || isPlaceholderData}>
          {isPending || isBeyondLast ? (
            <LoadingRows />
          ) : data === undefined ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : data.links.length > 0 ? (
            <LinkTable
              page={data.links}
              order={orderOf(view)}
              onSort={changeView}
              selected={new Set(ticked().keys())}
              onSelect={select}
              onEdit={(link) => setOpen({ what: 'edit', link })}
              onQr={(link) => setOpen({ what: 'qr', link })}
              onDelete={(link) => setOpen({ what: 'delete', link })}
              onArchive={onArchive}
              onHashtag={(hashtag) => changeView({ hashtag })}
              onFollow={onFollow}
            />
          ) : isFiltered(view) ? (
            <EmptyState title={links.emptyFiltered.title} text={links.emptyFiltered.text}>
              <Button onClick={() => changeView(NO_FILTERS)}>{links.filters.clear}</Button>
            </EmptyState>
          ) : (
            <EmptyState
              icon={<Icon of={Link2} size={36} />}
              title={links.emptyFirst.title}
              text={links.emptyFirst.text}
            >
              {canEdit && (
                <>
                  <Button variant="primary" onClick={() => setOpen({ what: 'create' })}>
                    {links.create}
                  </Button>
                  <Button onClick={() => setOpen({ what: 'import', dropped: null })}>{links.import}</Button>
                </>
              )}
              <RouteLink className="links-next" href="/settings">
                {links.emptyFirst.next}
              </RouteLink>
            </EmptyState>
          )}
          {data !== undefined && data.links.length > 0 && (
            <Pagination
              page={data.page}
              per={data.per}
              last={lastPage}
              total={data.total}
              onPage={goToPage}
              onPer={(per) => changeView({ per: inAddress(per, PER_PAGE) })}
            />
          )}
        </div>
      </section>
      {count > 0 && data !== undefined && (
        <BulkBar
          count={count}
          total={data.total}
          onSelectMatching={() => setSelected('matching')}
          archived={view.archived}
          onEdit={(edit) => setOpen({ what: 'bulk', edit, target })}
          onClear={() => setSelected(NONE)}
        />
      )}
      {open?.what === 'create' && <LazyLinkForm link={null} onCreated={setReady} onClose={close} />}
      {open?.what === 'edit' && <LazyLinkForm link={open.link} onClose={close} />}
      {open?.what === 'qr' && <QrDialog link={open.link} onClose={close} />}
      {open?.what === 'saved' && <LazySavedFilters view={view} canEdit={canEdit} onClose={close} />}
      {open?.what === 'bulk' && (
        <BulkDialog edit={open.edit} target={open.target} onClose={close} onRun={() => setSelected(NONE)} />
      )}
      {open?.what === 'import' && <ImportDialog dropped={open.dropped} isDragged={isDragged} onClose={close} />}
      {open?.what === 'delete' && (
        <DeleteLinkDialog link={open.link} onConfirm={() => remove(open.link)} onClose={close} />
      )}
    </>
  );
}

/** Returns a number as the address has it, which does not name the default. */
function inAddress(value: number, usual: number): string | undefined {
  return value === usual ? undefined : String(value);
}

const LOADING_ROWS = 8;

/** As high as the rows that follow, so that nothing moves. */
function LoadingRows() {
  return (
    <div className="links-loading" aria-hidden>
      {Array.from({ length: LOADING_ROWS }, (_, index) => (
        <div key={index} />
      ))}
    </div>
  );
}
