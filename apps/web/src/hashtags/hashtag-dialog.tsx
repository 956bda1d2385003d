import type { JobChange } from '@waymark/contract';
import { useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { DialogForm } from '../components/dialog-form.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextField } from '../components/field.tsx';
import { Words } from '../components/words.tsx';
import { useBoundedJob } from '../jobs/use-bounded-job.ts';
import { hashtags as texts } from '../texts/hashtags.ts';
import { foldHashtag } from './hashtag-text.ts';
import { isInUse, useHashtagCounts } from './hashtags.ts';

export type HashtagEdit = 'rename' | 'remove';

interface HashtagDialogProps {
  edit: HashtagEdit;
  hashtag: string;
  /** The hashtags of the list. */
  known: readonly string[];
  onClose: () => void;
}

/** Renames a hashtag in all links that have it, merges it into another one, or removes it. Says first how many they are. */
export function HashtagDialog({ edit, hashtag, known, onClose }: HashtagDialogProps) {
  const { data: counts, error, refetch } = useHashtagCounts(hashtag);
  const [name, setName] = useState('');
  /** A hashtag that is not in the list, but that links have: archived ones, or it is one of too many. */
  const [found, setFound] = useState('');
  const begin = useBoundedJob(() => void refetch(), onClose);
  const to = foldHashtag(name.trim());
  const isMerge = to !== '' && to !== hashtag && (known.includes(to) || to === found);
  const submit = async () => {
    if (edit === 'rename' && to !== hashtag && !isMerge && (await isInUse(to))) {
      setFound(to);
      throw new Error(texts.merges(hashtag, to));
    }
    const change: JobChange =
      edit === 'rename' ? { replace_hashtag: { from: hashtag, to: name.trim() } } : { remove_hashtags: [hashtag] };
    await begin({ kind: 'edit', filter: { hashtag, archived: 'any' }, change, matched_max: counts!.all });
  };
  return (
    <DialogForm
      title={texts[edit](hashtag)}
      verbatim={`#${hashtag}`}
      fields={['hashtag']}
      action={isMerge ? texts.merge(to) : texts.actions[edit]}
      isWaiting={counts === undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <ErrorNotice text={error && messageOf(error)} />
          <p role="status">
            <Words
              text={counts === undefined ? texts.counting : texts.matched(counts.all, counts.archived, hashtag)}
              verbatim={`#${hashtag}`}
            />
          </p>
          {edit === 'remove' ? (
            <p>{texts.linksStay}</p>
          ) : (
            <TextField
              label={texts.newName}
              error={errorAt('hashtag')}
              value={name}
              required
              autoCapitalize="none"
              autoComplete="off"
              spellcheck={false}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
          {isMerge && to !== found && (
            <p key={to} className="notice" role="status">
              {texts.merges(hashtag, to)}
            </p>
          )}
        </>
      )}
    </DialogForm>
  );
}
