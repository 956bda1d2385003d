import { X } from 'lucide-preact';
import { Button, IconButton } from '../components/button.tsx';
import { links } from '../texts/links.ts';
import { shared } from '../texts/shared.ts';
import { BULK_EDITS, type BulkEdit } from './bulk-dialog.tsx';
import './bulk-bar.css';

const { bulk: texts } = links;

interface BulkBarProps {
  count: number;
  /** How many links match the filters. */
  total: number;
  /** How many of them are found, while all of them are being selected. */
  found: number | null;
  onSelectMatching: () => void;
  onStopSelecting: () => void;
  onEdit: (edit: BulkEdit) => void;
  onClear: () => void;
}

/** Appears while links are selected, and offers what can be done with all of them. */
export function BulkBar({ count, total, found, onSelectMatching, onStopSelecting, onEdit, onClear }: BulkBarProps) {
  return (
    <section className="bulk-bar" aria-label={texts.label}>
      <strong role="status">{found === null ? texts.selected(count) : texts.selecting(found, total)}</strong>
      {found !== null ? (
        <Button size="s" variant="ghost" onClick={onStopSelecting}>
          {shared.stop}
        </Button>
      ) : (
        count < total && (
          <Button size="s" variant="ghost" onClick={onSelectMatching}>
            {texts.selectMatching(total)}
          </Button>
        )
      )}
      <div className="bulk-actions">
        {BULK_EDITS.map((edit) => (
          <Button key={edit} size="s" busy={found !== null} onClick={() => onEdit(edit)}>
            {texts[edit]}
          </Button>
        ))}
      </div>
      <IconButton size="s" label={texts.clear} onClick={onClear}>
        <X aria-hidden size={16} />
      </IconButton>
    </section>
  );
}
