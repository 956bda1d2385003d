import { Archive, ArchiveRestore, EllipsisVertical, Eye, Hash, Trash2, X } from 'lucide';
import { Button, IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import { Words } from '../components/words.tsx';
import { links } from '../texts/links.ts';
import type { BulkEdit } from './bulk-change.ts';
import './bulk-bar.css';

const { bulk: texts } = links;

const ICONS = { archive: Archive, unarchive: ArchiveRestore, tag: Hash, untag: Hash, visibility: Eye, delete: Trash2 };

interface BulkBarProps {
  count: number;
  /** How many links match the filters. */
  total: number;
  /** The filter by archived links. */
  archived: string | undefined;
  onSelectMatching: () => void;
  onEdit: (edit: BulkEdit) => void;
  onClear: () => void;
}

/** Appears while links are selected, and offers what can be done with all of them. */
export function BulkBar({ count, total, archived, onSelectMatching, onEdit, onClear }: BulkBarProps) {
  const item = (edit: BulkEdit) => ({
    text: texts[edit],
    icon: <Icon of={ICONS[edit]} size={16} />,
    danger: edit === 'delete',
    run: () => onEdit(edit),
  });
  const main: BulkEdit[] = ['tag', archived === 'true' ? 'unarchive' : 'archive'];
  const more: BulkEdit[] = ['untag', 'visibility', ...(archived === 'any' ? (['unarchive'] as const) : []), 'delete'];
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
        {main.map((edit) => (
          <Button key={edit} size="s" onClick={() => onEdit(edit)}>
            <Icon of={ICONS[edit]} size={15} />
            {texts[edit]}
          </Button>
        ))}
        <Menu label={texts.more} icon={<Icon of={EllipsisVertical} size={17} />} items={more.map(item)} />
      </div>
      <IconButton size="s" label={texts.clear} onClick={onClear}>
        <Icon of={X} size={16} />
      </IconButton>
    </section>
  );
}
