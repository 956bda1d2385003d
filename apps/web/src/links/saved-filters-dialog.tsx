import type { SavedFilter } from '@waymark/contract';
import { Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { useBusy } from '../components/busy.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Dialog, DialogBody } from '../components/dialog.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { TextField } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { useToast } from '../components/toast.tsx';
import { Words } from '../components/words.tsx';
import { Link as RouteLink } from '../router.tsx';
import { links } from '../texts/links.ts';
import { savedFilters as texts } from '../texts/saved-filters.ts';
import { activeFilters, type LinkView, orderOf } from './link-query.ts';
import { savedPath, savedQuery, useSavedFilterActions, useSavedFilters } from './saved-filters.ts';
import './saved-filters-dialog.css';

const NAME_MAX_LENGTH = 50;

interface SavedFiltersDialogProps {
  view: LinkView;
  canEdit: boolean;
  onClose: () => void;
}

/** The saved filters of the account: opens one, deletes one, or saves what the list shows. */
export function SavedFiltersDialog({ view, canEdit, onClose }: SavedFiltersDialogProps) {
  const { data, error, refetch } = useSavedFilters();
  const { busy, run } = useBusy();
  const { save, remove } = useSavedFilterActions();
  const toast = useToast();
  const onDelete = ({ id, name, query }: SavedFilter) =>
    run(async () => {
      try {
        await remove(id);
        const undo = () =>
          void save({ name, query }).catch((thrown) => toast({ text: messageOf(thrown), danger: true }));
        toast({ text: texts.deleted(name), verbatim: name, action: { text: texts.undo, run: undo } });
      } catch (thrown) {
        toast({ text: messageOf(thrown), danger: true });
      }
    });
  return (
    <Dialog title={texts.title} onClose={onClose} busy={busy}>
      <DialogBody>
        <p className="quiet">{texts.text}</p>
        {data === undefined ? (
          error !== null && <ErrorState error={error} onRetry={() => void refetch()} />
        ) : data.filters.length === 0 ? (
          <p>{texts.none}</p>
        ) : (
          <ul className="saved-filters">
            {data.filters.map((filter) => (
              <li key={filter.id}>
                <div>
                  <RouteLink href={savedPath(filter.query, view)} translate={false} onClick={onClose}>
                    {filter.name}
                  </RouteLink>
                  <Contents view={filter.query} />
                </div>
                {canEdit && (
                  <IconButton size="s" label={texts.delete(filter.name)} onClick={() => void onDelete(filter)}>
                    <Icon of={Trash2} size={16} />
                  </IconButton>
                )}
              </li>
            ))}
          </ul>
        )}
        {canEdit && <SaveForm view={view} />}
      </DialogBody>
    </Dialog>
  );
}

/** What a saved filter finds, and its order. */
function Contents({ view }: { view: LinkView }) {
  const { q } = view;
  const { sort, dir } = orderOf(view);
  const found = activeFilters(view).map(([name, value]) => [links.filters.chips[name](value), value] as const);
  const search = q === undefined ? [] : [[texts.search(q), q] as const];
  const order = [links.sorts[`${sort} ${dir}`] ?? `${sort} ${dir}`, ''] as const;
  return (
    <p className="quiet">
      {[...search, ...found, order].map(([text, value]) => (
        <Words key={text} text={text} verbatim={value} />
      ))}
    </p>
  );
}

function SaveForm({ view }: { view: LinkView }) {
  const [name, setName] = useState('');
  const [error, setError] = useState<string | null>(null);
  const { busy, run } = useBusy();
  const { save } = useSavedFilterActions();
  const toast = useToast();
  const query = savedQuery(view);
  if (Object.keys(query).length === 0) return <p className="notice">{texts.nothing}</p>;
  const submit = async () => {
    setError(null);
    try {
      await save({ name, query });
      setName('');
      toast({ text: texts.saved(name), verbatim: name });
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  return (
    <form
      className="save-filter"
      onSubmit={(event) => {
        event.preventDefault();
        void run(submit);
      }}
    >
      <TextField
        label={texts.name}
        error={error}
        value={name}
        required
        maxLength={NAME_MAX_LENGTH}
        autoComplete="off"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" variant="primary" busy={busy}>
        {texts.save}
      </Button>
    </form>
  );
}
