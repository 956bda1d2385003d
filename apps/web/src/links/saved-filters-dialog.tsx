import type { SavedFilter } from '@waymark/contract';
import { Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { IconButton } from '../components/button.tsx';
import { DialogForm } from '../components/dialog-form.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextField } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { useToast } from '../components/toast.tsx';
import { Link as RouteLink } from '../router.tsx';
import { links } from '../texts/links.ts';
import { savedFilters as texts } from '../texts/saved-filters.ts';
import type { LinkView } from './link-query.ts';
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
  const { data, error } = useSavedFilters();
  const [name, setName] = useState('');
  const { save, remove } = useSavedFilterActions();
  const toast = useToast();
  const query = savedQuery(view);
  const canSave = canEdit && Object.keys(query).length > 0;
  const orShow = (work: Promise<void>) => work.catch((thrown) => toast({ text: messageOf(thrown), danger: true }));
  const onDelete = ({ id, ...filter }: SavedFilter) =>
    orShow(
      remove(id).then(() =>
        toast({
          text: texts.deleted(filter.name),
          verbatim: filter.name,
          action: {
            text: links.undo,
            run: () => void orShow(save({ name: filter.name, query: filter.query })),
          },
        }),
      ),
    );
  return (
    <DialogForm
      title={texts.title}
      fields={['name']}
      action={canSave && texts.save}
      onSubmit={async () => {
        await save({ name, query });
        toast({ text: texts.saved(name), verbatim: name });
      }}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <p className="quiet">{texts.text}</p>
          <ErrorNotice text={error && messageOf(error)} />
          <ul className="saved-filters">
            {data?.filters.map((filter) => (
              <li key={filter.id}>
                <RouteLink href={savedPath(filter.query, view)} translate={false} onClick={onClose}>
                  {filter.name}
                </RouteLink>
                {canEdit && (
                  <IconButton size="s" label={texts.delete(filter.name)} onClick={() => void onDelete(filter)}>
                    <Icon of={Trash2} size={16} />
                  </IconButton>
                )}
              </li>
            ))}
          </ul>
          {canSave && (
            <TextField
              label={texts.name}
              error={errorAt('name')}
              value={name}
              required
              maxLength={NAME_MAX_LENGTH}
              autoComplete="off"
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </>
      )}
    </DialogForm>
  );
}
