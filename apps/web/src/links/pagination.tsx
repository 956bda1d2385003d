import { ChevronLeft, ChevronRight } from 'lucide';
import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Words } from '../components/words.tsx';
import { links } from '../texts/links.ts';
import { PER_PAGE_CHOICES } from './link-query.ts';
import './pagination.css';

interface PaginationProps {
  page: number;
  per: number;
  /** The last page. */
  last: number;
  total: number;
  onPage: (page: number) => void;
  onPer: (per: number) => void;
}

/** Shows the range of links on this page and their total, and leads to other pages, or to longer ones. */
export function Pagination({ page, per, last, total, onPage, onPer }: PaginationProps) {
  const from = Math.min((page - 1) * per + 1, total);
  return (
    <nav className="pagination" aria-label={links.pages.label}>
      <label>
        <span>{links.pages.per}</span>
        <select className="control" value={per} onChange={(event) => onPer(Number(event.currentTarget.value))}>
          {[...new Set([...PER_PAGE_CHOICES, per])].map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      </label>
      <span role="status">
        <Words text={links.pages.range(from, Math.min(page * per, total), total)} />
      </span>
      <IconButton
        variant="secondary"
        size="s"
        label={links.pages.previous}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        <Icon of={ChevronLeft} size={17} />
      </IconButton>
      <IconButton
        variant="secondary"
        size="s"
        label={links.pages.next}
        disabled={page >= last}
        onClick={() => onPage(page + 1)}
      >
        <Icon of={ChevronRight} size={17} />
      </IconButton>
    </nav>
  );
}
