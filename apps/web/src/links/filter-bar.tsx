import { ListFilter, Search, X } from 'lucide';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { SelectField } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { isInputMethodKey } from '../components/input-method.ts';
import { Words } from '../components/words.tsx';
import { foldHashtag } from '../hashtags/hashtag-text.ts';
import { readableHost } from '../hosts/host-name.ts';
import { useHosts } from '../hosts/hosts.ts';
import { Link as RouteLink } from '../router.tsx';
import { DEFAULT_HOST } from '../short-url.ts';
import { DEFAULT_HOST_FILTER } from '../texts/default-host-filter.ts';
import { links } from '../texts/links.ts';
import { CommittedField } from './committed-field.tsx';
import { activeFilters, DAY_FILTERS, FILTER_NAMES, type FilterName, type LinkView, orderOf } from './link-query.ts';
import './filter-bar.css';

/** A pause in typing after which the search is sent. */
const SEARCH_PAUSE_MS = 250;
const { filters: texts } = links;

const { labels } = texts;

interface FilterBarProps {
  view: LinkView;
  /** Changes the address. Any change leads back to the first page. */
  onChange: (changes: LinkView, options?: { replace?: boolean }) => void;
}

/** The search, the order and the filters of the list. */
export function FilterBar({ view, onChange, onSaved }: FilterBarProps & { onSaved: () => void }) {
  const [open, setOpen] = useState(false);
  const panel = useId();
  const { data } = useHosts();
  const hosts = data?.hosts ?? [];
  const active = activeFilters(view);
  const order = Object.values(orderOf(view)).join(' ');
  const clear = () => onChange(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])));
  return (
    <div className="filter-bar">
      <div className="filter-row">
        <SearchField
          value={view.q ?? ''}
          // The first letter is a step of the history, so that Back leaves the search.
          onChange={(q) => onChange({ q }, { replace: view.q !== undefined })}
        />
        <select
          className="control filter-sort"
          aria-label={links.sort}
          value={order}
          onChange={(event) => {
            const [sort, dir] = event.currentTarget.value.split(' ');
            onChange({ sort, dir });
          }}
        >
          {!(order in links.sorts) && <option>{order}</option>}
          {Object.entries(links.sorts).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        <Button aria-expanded={open} aria-controls={panel} onClick={() => setOpen(!open)}>
          <Icon of={ListFilter} size={16} />
          <Words text={texts.show(active.length)} />
        </Button>
        <Button aria-label={texts.savedOfAccount} onClick={onSaved}>
          {texts.saved}
        </Button>
      </div>
      <section id={panel} className="card filter-panel" aria-label={texts.title} hidden={!open}>
        <ChoiceFilter name="visibility" {...{ view, onChange }} />
        <CommittedField
          label={labels.hashtag}
          hint={<RouteLink href="/hashtags">{texts.allHashtags}</RouteLink>}
          value={view.hashtag ?? ''}
          onCommit={(value) => onChange({ hashtag: foldHashtag(value) })}
        />
        <CommittedField
          label={labels.domain}
          placeholder={texts.domainExample}
          value={view.domain ?? ''}
          onCommit={(domain) => onChange({ domain })}
        />
        {hosts.length > 0 && (
          <SelectField
            label={labels.host}
            value={view.host ?? ''}
            onChange={(event) => onChange({ host: event.currentTarget.value })}
            translate={false}
          >
            <option value="" translate>
              {texts.any}
            </option>
            <option value={DEFAULT_HOST_FILTER}>{DEFAULT_HOST}</option>
            {hosts.map(({ id, host }) => (
              <option key={id} value={host}>
                {readableHost(host)}
              </option>
            ))}
          </SelectField>
        )}
        <ChoiceFilter name="health" {...{ view, onChange }} />
        <ChoiceFilter name="expired" {...{ view, onChange }} />
        {DAY_FILTERS.map((name) => (
          <CommittedField
            key={name}
            label={labels[name]}
            type="date"
            value={view[name] ?? ''}
            onCommit={(date) => onChange({ [name]: date })}
          />
        ))}
        <CommittedField
          label={labels.managed_by}
          value={view.managed_by ?? ''}
          onCommit={(managed_by) => onChange({ managed_by })}
        />
        <ChoiceFilter name="archived" none="false" {...{ view, onChange }} />
      </section>
      {active.length > 0 && (
        <div className="filter-chips">
          {active.map(([name, value]) => (
            <FilterChip key={name} name={name} value={value} onRemove={() => onChange({ [name]: undefined })} />
          ))}
          <Button variant="ghost" size="s" onClick={clear}>
            {texts.clear}
          </Button>
        </div>
      )}
    </div>
  );
}

interface ChoiceFilterProps extends FilterBarProps {
  name: 'visibility' | 'health' | 'expired' | 'archived';
  /** The choice that is no filter. Without it, there is one more. */
  none?: string;
}

/** A filter with a list of choices. */
function ChoiceFilter({ name, none = '', view, onChange }: ChoiceFilterProps) {
  return (
    <SelectField
      label={labels[name]}
      value={view[name] ?? none}
      onChange={({ currentTarget: { value } }) => onChange({ [name]: value === none ? undefined : value })}
    >
      {none === '' && <option value="">{texts.any}</option>}
      {Object.entries(texts.choices[name]!).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </SelectField>
  );
}

function FilterChip({ name, value, onRemove }: { name: FilterName; value: string; onRemove: () => void }) {
  const text = texts.chip(name, value);
  return (
    <button type="button" className="filter-chip" aria-label={texts.remove(text)} onClick={onRemove}>
      <Words text={text} verbatim={value} />
      <Icon of={X} size={14} />
    </button>
  );
}

/** A search field. Calls `onChange` after a pause in typing, and at once on Enter. */
function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // The address changed otherwise: by the back button, for example.
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const send = (next: string) => {
    clearTimeout(timer.current);
    if (next.trim() === sent.current) return;
    sent.current = next.trim();
    onChange(sent.current);
  };
  return (
    <search className="link-search">
      <Icon of={Search} size={16} />
      <input
        className="control"
        type="search"
        dir="auto"
        aria-label={links.search}
        placeholder={links.search}
        maxLength={200}
        value={text}
        onInput={(event) => {
          const next = event.currentTarget.value;
          setText(next);
          clearTimeout(timer.current);
          timer.current = setTimeout(send, SEARCH_PAUSE_MS, next);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !isInputMethodKey(event)) send(text);
        }}
      />
    </search>
  );
}
