import { X } from 'lucide';
import { Button, IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Words } from '../components/words.tsx';
import { links } from '../texts/links.ts';
import { BULK_EDITS, type BulkEdit } from './bulk-change.ts';
import './bulk-bar.css';

const { bulk: texts } = links;

interface BulkBarProps {
  count: number;
  /** How many links match the filters. */
  total: number;
  onSelectMatching: () => void;
  onEdit: (edit: BulkEdit) => void;
  onClear: () => void;
}

/** Appears while links are selected, and offers what can be done with all of them. */
export function BulkBar({ count, total, onSelectMatching, onEdit, onClear }: BulkBarProps) {
  return (
    <section className="bulk-bar" aria-label={texts.label}>
      <strong role="status">
        <Words text={texts.selected(count)} />
      </strong>
      {count < total && (
        <Button size="s" variant="ghost" onClick={onSelectMatching}>
          <Words text={texts.selectMatching(total)} />
        </Button>
      )}
      <div className="bulk-actions">
        {BULK_EDITS.map((edit) => (
          <Button key={edit} size="s" onClick={() => onEdit(edit)}>
            {texts[edit]}
          </Button>
        ))}
      </div>
      <IconButton size="s" label={texts.clear} onClick={onClear}>
        <Icon of={X} size={16} />
      </IconButton>
    </section>
  );
}
