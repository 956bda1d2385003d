import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { Hash, Link2, Search } from 'lucide';
import { useEffect, useId, useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { Icon } from '../components/icon.tsx';
import { isInputMethodKey } from '../components/input-method.ts';
import { Words } from '../components/words.tsx';
import { HASH } from '../links/link-form-values.ts';
import { analytics as texts } from '../texts/analytics.ts';
import { type Suggestion, suggestionsOf } from './suggestions.ts';

const DEBOUNCE_MS = 200;
const LINKS_MAX = 8;

/** A field that finds a link or a hashtag to filter by. */
export function FilterSearch({ onChoose }: { onChoose: (suggestion: Suggestion) => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const typed = text.trim();
  const settled = useSettled(typed);
  const query = useQuery({
    queryKey: ['links', 'suggestions', settled],
    queryFn: async ({ signal }) => {
      const q = settled.replace(HASH, '');
      const parameters = { q, per: LINKS_MAX, sort: 'clicks', archived: 'any' } as const;
      return (await api('GET /api/v1/links', { query: parameters, signal })).links;
    },
    placeholderData: keepPreviousData,
    enabled: open && settled !== '',
  });
  const suggestions = typed === '' || !query.data ? [] : suggestionsOf(typed, query.data);
  const searching = typed !== '' && (typed !== settled || query.isFetching);
  const shown = Math.min(active, suggestions.length - 1);

  function choose(suggestion: Suggestion | undefined) {
    if (suggestion === undefined) return;
    setText('');
    setOpen(false);
    onChoose(suggestion);
  }
  function handleKey(event: KeyboardEvent) {
    if (isInputMethodKey(event)) return;
    if (event.key === 'Escape') {
      setOpen(false);
      setText('');
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (!searching) choose(suggestions[shown]);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (suggestions.length > 0) setActive((shown + step + suggestions.length) % suggestions.length);
    }
  }

  const isOpen = open && typed !== '';
  const status = query.isError
    ? query.error.message
    : searching
      ? texts.search.searching
      : suggestions.length === 0
        ? texts.search.nothing
        : texts.search.found(suggestions.length);
  return (
    <div className="analytics-search">
      <Icon of={Search} size={16} />
      <input
        type="text"
        className="control"
        role="combobox"
        aria-label={texts.search.label}
        aria-expanded={isOpen && suggestions.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && suggestions.length > 0 ? `${id}-${shown}` : undefined}
        placeholder={texts.search.label}
        autoComplete="off"
        spellcheck={false}
        maxLength={200}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
          setOpen(true);
        }}
        onKeyDown={handleKey}
        onBlur={() => setOpen(false)}
      />
      <div className="analytics-search-panel" hidden={!isOpen}>
        <div role="listbox" id={`${id}-list`} aria-label={texts.search.label} hidden={suggestions.length === 0}>
          {suggestions.map((suggestion, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
            <div
              key={`${suggestion.filter} ${suggestion.value}`}
              id={`${id}-${index}`}
              className="analytics-search-option"
              role="option"
              tabIndex={-1}
              aria-selected={index === shown}
              onPointerEnter={() => setActive(index)}
              // Keeps the focus in the field.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(suggestion)}
            >
              {suggestion.filter === 'hashtag' ? <Icon of={Hash} size={16} /> : <Icon of={Link2} size={16} />}
              <span className="analytics-search-words">
                <span translate={false}>{suggestion.name}</span>
                <small>{suggestion.detail}</small>
              </span>
            </div>
          ))}
        </div>
        <p className="analytics-search-status" role="status">
          {isOpen && <Words text={status} />}
        </p>
      </div>
    </div>
  );
}

/** Returns the text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
