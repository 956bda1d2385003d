import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { Hash, Link2, Search } from 'lucide';
import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { Combobox } from '../components/combobox.tsx';
import { Icon } from '../components/icon.tsx';
import { useSettled } from '../components/settled.ts';
import { HASH } from '../hashtags/hashtag-text.ts';
import { analytics as texts } from '../texts/analytics.ts';
import { type Suggestion, suggestionsOf } from './suggestions.ts';

const DEBOUNCE_MS = 200;
const LINKS_MAX = 8;

/** A field that finds a link or a hashtag to filter by. */
export function FilterSearch({ onChoose }: { onChoose: (suggestion: Suggestion) => void }) {
  const [text, setText] = useState('');
  const typed = text.trim();
  const settled = useSettled(typed, DEBOUNCE_MS);
  const query = useQuery({
    queryKey: ['links', 'suggestions', settled],
    queryFn: async ({ signal }) => {
      const q = settled.replace(HASH, '');
      const parameters = { q, per: LINKS_MAX, sort: 'clicks', archived: 'any' } as const;
      return (await api('GET /api/v1/links', { query: parameters, signal })).links;
    },
    placeholderData: keepPreviousData,
    enabled: settled !== '',
  });
  const suggestions = typed === '' || !query.data ? [] : suggestionsOf(typed, query.data);
  const searching = typed !== '' && (typed !== settled || query.isFetching);
  const status = query.isError
    ? query.error.message
    : searching
      ? texts.search.searching
      : suggestions.length === 0
        ? texts.search.nothing
        : undefined;
  return (
    <div className="analytics-search">
      <Icon of={Search} size={16} />
      <Combobox
        label={texts.search.label}
        aria-label={texts.search.label}
        placeholder={texts.search.label}
        maxLength={200}
        value={text}
        options={suggestions}
        keyOf={({ filter, value }) => `${filter} ${value}`}
        status={typed === '' ? undefined : status}
        marksFirst
        isWaiting={searching}
        onInput={(event) => setText(event.currentTarget.value)}
        onChoose={(suggestion) => {
          setText('');
          onChoose(suggestion);
        }}
        onEscape={() => setText('')}
      >
        {(suggestion) => (
          <>
            <Icon of={suggestion.filter === 'hashtag' ? Hash : Link2} size={16} />
            <span className="analytics-search-words">
              <span translate={false} dir="auto">
                {suggestion.name}
              </span>
              <small dir="auto">{suggestion.detail}</small>
            </span>
          </>
        )}
      </Combobox>
    </div>
  );
}
