import type { Link } from '@waymark/contract';
import { Archive, ArchiveRestore, ChartColumn, EllipsisVertical, Info, Pencil, QrCode, Trash2 } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../components/button.tsx';
import { CopyButton } from '../components/copy-text.tsx';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import { Words } from '../components/words.tsx';
import { Link as RouteLink, useLocation } from '../router.tsx';
import { mayEdit, useRole } from '../session/role.ts';
import { linkName } from '../short-url.ts';
import { links } from '../texts/links.ts';
import { dayText, minuteText, numberText } from '../texts/locale.ts';
import { LinkBadges } from './link-badges.tsx';
import { linkPath, listState } from './link-path.ts';
import { rowRange } from './row-range.ts';
import './link-table.css';

export interface LinkActions {
  onEdit: (link: Link) => void;
  onQr: (link: Link) => void;
  onArchive: (link: Link) => void;
  onDelete: (link: Link) => void;
  onHashtag: (hashtag: string) => void;
  /** Called when a link is followed, also into a tab in the background. */
  onFollow: () => void;
}

interface Sorting {
  order: { sort: string; dir: string };
  onSort: (order: { sort: string; dir: string }) => void;
}

interface LinkTableProps extends LinkActions, Sorting {
  page: readonly Link[];
  /** The ids of the selected links, also of other pages. */
  selected: ReadonlySet<string>;
  onSelect: (ids: readonly string[], selected: boolean) => void;
}

/** The height of a card or a row, and at least the space above the first one. */
const ROW_PX = matchMedia('(max-width: 52rem)').matches ? 175 : 50;
const ABOVE_PX = 170;
/** Fill the screen. When the page loads they are painted before the others, which takes a slow phone at least 15 % less time. */
const FIRST_ROWS = Math.ceil((innerHeight - ABOVE_PX) / ROW_PX);
let wasPainted = false;

/** One page of links. On a phone each row becomes a card. */
export function LinkTable({ page, order, onSort, selected, onSelect, ...actions }: LinkTableProps) {
  const canEdit = mayEdit(useRole());
  const [hasAllRows, setAllRows] = useState(wasPainted);
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      wasPainted = true;
      setAllRows(true);
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  const ids = page.map(({ id }) => id);
  const selectedHere = ids.filter((id) => selected.has(id)).length;
  /** The row that was clicked last. */
  const last = useRef('');
  const select = (id: string, checked: boolean, shift: boolean) => {
    // Not from a row that something else has changed since.
    const isRange = shift && selected.has(last.current) === checked;
    onSelect(rowRange(ids, isRange ? last.current : id, id), checked);
    last.current = id;
  };
  return (
    <table className="links">
      <caption className="visually-hidden">{links.title}</caption>
      <thead>
        <tr>
          {canEdit && (
            <th scope="col" className="links-select">
              <SelectAll
                all={selectedHere === ids.length}
                some={selectedHere > 0}
                onChange={(checked) => onSelect(ids, checked)}
              />
            </th>
          )}
          <SortableHead field="slug" first="asc" {...{ order, onSort }}>
            {links.columns.link}
          </SortableHead>
          <th scope="col" className="links-tags">
            {links.columns.hashtags}
          </th>
          <SortableHead field="clicks" first="desc" className="links-clicks" {...{ order, onSort }}>
            {links.columns.clicks}
          </SortableHead>
          <SortableHead field="created_at" first="desc" className="links-created" {...{ order, onSort }}>
            {links.columns.created}
          </SortableHead>
          <th scope="col" className="links-actions">
            <span className="visually-hidden">{links.columns.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {page.slice(0, hasAllRows ? undefined : FIRST_ROWS).map((link) => (
          <LinkRow
            key={link.id}
            link={link}
            selected={selected.has(link.id)}
            onSelect={(checked, shift) => select(link.id, checked, shift)}
            {...actions}
          />
        ))}
      </tbody>
    </table>
  );
}

interface SortableHeadProps extends Sorting {
  field: string;
  /** The direction that the first click sorts in. */
  first: string;
  className?: string;
  children: string;
}

/** The head of a column, which sorts by it, and by another click in the other direction. */
function SortableHead({ field, first, className, order: { sort, dir }, onSort, children }: SortableHeadProps) {
  const isSorted = sort === field;
  const isAscending = dir === 'asc';
  const other = isAscending ? 'desc' : 'asc';
  return (
    <th scope="col" className={className} aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : undefined}>
      <button type="button" onClick={() => onSort({ sort: field, dir: isSorted ? other : first })}>
        {children}
      </button>
    </th>
  );
}

function SelectAll({ all, some, onChange }: { all: boolean; some: boolean; onChange: (checked: boolean) => void }) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    ref.current!.indeterminate = some && !all;
  }, [some, all]);
  return (
    <input
      ref={ref}
      type="checkbox"
      aria-label={links.selectPage}
      checked={all}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

interface LinkRowProps extends LinkActions {
  link: Link;
  selected: boolean;
  onSelect: (selected: boolean, shift: boolean) => void;
}

function LinkRow({ link, selected, onSelect, onEdit, onQr, onArchive, onDelete, onHashtag, onFollow }: LinkRowProps) {
  const [, navigate] = useLocation();
  const canEdit = mayEdit(useRole());
  const { short_url, destination_url, title, hashtags } = link;
  const name = linkName(link);
  const analytics = `/analytics?link_id=${encodeURIComponent(link.id)}`;
  return (
    <tr className={selected ? 'links-selected' : undefined}>
      {canEdit && (
        <td className="links-select">
          <input
            type="checkbox"
            aria-label={links.selectLink(name)}
            checked={selected}
            onClick={(event) => onSelect(event.currentTarget.checked, event.shiftKey)}
          />
        </td>
      )}
      <td className="links-link">
        <div className="links-short">
          <a
            href={short_url}
            target="_blank"
            rel="noreferrer"
            title={short_url}
            translate={false}
            dir="auto"
            onClick={onFollow}
            onAuxClick={onFollow}
          >
            {name}
          </a>
          <CopyButton text={short_url} label={links.copyUrl(name)} copied={links.copied(short_url)} />
          <LinkBadges link={link} />
        </div>
        <div className="links-about">
          {title && (
            <div key={title} className="links-title" dir="auto">
              <RouteLink href={linkPath(link)} state={listState()}>
                {title}
              </RouteLink>
            </div>
          )}
          <div className="links-destination" title={destination_url} translate={false}>
            {destination_url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '')}
          </div>
        </div>
      </td>
      <td className="links-tags">
        {hashtags.length > 0 && (
          <div className="hashtags">
            {hashtags.map((tag) => (
              <button
                key={tag}
                type="button"
                className="hashtag"
                translate={false}
                dir="auto"
                aria-label={links.filterByHashtag(tag)}
                onClick={() => onHashtag(tag)}
              >
                #{tag}
              </button>
            ))}
          </div>
        )}
      </td>
      <td className="links-clicks">
        <RouteLink href={analytics} aria-label={`${links.clicks(link.clicks)}: ${links.openAnalytics(name)}`}>
          <Icon of={ChartColumn} size={14} />
          <Words text={numberText(link.clicks)} />
        </RouteLink>
      </td>
      <td className="links-created">
        <time dateTime={link.created_at} title={minuteText(link.created_at)}>
          {dayText(link.created_at)}
        </time>
      </td>
      <td className="links-actions">
        <IconButton size="s" label={links.showQr(name)} onClick={() => onQr(link)}>
          <Icon of={QrCode} size={17} />
        </IconButton>
        <Menu
          label={links.more(name)}
          icon={<Icon of={EllipsisVertical} size={17} />}
          items={[
            {
              text: links.menu.details,
              icon: <Icon of={Info} size={16} />,
              run: () => navigate(linkPath(link), { state: listState() }),
            },
            canEdit && { text: links.menu.edit, icon: <Icon of={Pencil} size={16} />, run: () => onEdit(link) },
            {
              text: links.menu.analytics,
              icon: <Icon of={ChartColumn} size={16} />,
              run: () => navigate(analytics),
            },
            canEdit &&
              (link.archived
                ? {
                    text: links.menu.unarchive,
                    icon: <Icon of={ArchiveRestore} size={16} />,
                    run: () => onArchive(link),
                  }
                : { text: links.menu.archive, icon: <Icon of={Archive} size={16} />, run: () => onArchive(link) }),
            canEdit && {
              text: links.menu.delete,
              icon: <Icon of={Trash2} size={16} />,
              danger: true,
              run: () => onDelete(link),
            },
          ].filter((item) => item !== false)}
        />
      </td>
    </tr>
  );
}
