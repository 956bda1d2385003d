import type { EventType } from '@waymark/contract';
import { History } from 'lucide';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { SelectField } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PageLoading } from '../components/page-loading.tsx';
import { CommittedField } from '../links/committed-field.tsx';
import { useSearchState } from '../search-params.ts';
import { eventNames, eventNouns, activity as texts } from '../texts/activity.ts';
import { ActivityTabs } from './activity-tabs.tsx';
import { EventRow } from './event-row.tsx';
import { linkOf } from './event-words.ts';
import { useEvents } from './events.ts';
import './activity.css';

const TYPES = Object.keys(eventNames) as EventType[];
const NAMES = ['types', 'link_id'] as const;

/** The view at `/app/activity`: the log of the account, newest first. */
export function ActivityPage() {
  const [{ types, link_id }, set] = useSearchState(NAMES);
  const { data, error, isPending, isFetching, hasNextPage, fetchNextPage, refetch } = useEvents(types, link_id);
  const events = data?.pages.flatMap((page) => page.events) ?? [];
  const isFiltered = types !== undefined || link_id !== undefined;
  const linkName = link_id && (events.map(linkOf).find((link) => link?.id === link_id)?.name ?? link_id);
  return (
    <>
      <PageHeader title={texts.title} />
      <ActivityTabs />
      <section className="activity-filters" aria-label={texts.filters}>
        <SelectField
          label={texts.type}
          value={types ?? ''}
          onChange={(event) => set({ types: event.currentTarget.value })}
        >
          <option value="">{texts.anyType}</option>
          {types !== undefined && !isOffered(types) && <option translate={false}>{types}</option>}
          {Object.entries(eventNouns).map(([noun, text]) => (
            <optgroup key={noun} label={text}>
              {typesOf(noun).length > 1 && <option value={typesOf(noun).join()}>{texts.allAbout(text)}</option>}
              {typesOf(noun).map((type) => (
                <option key={type} value={type}>
                  {eventNames[type]}
                </option>
              ))}
            </optgroup>
          ))}
        </SelectField>
        <CommittedField
          label={texts.link}
          placeholder={texts.linkExample}
          value={linkName ?? ''}
          onCommit={(text) => set({ link_id: text })}
        />
        {isFiltered && <Button onClick={() => set({ types: undefined, link_id: undefined })}>{texts.clear}</Button>}
      </section>
      {isPending ? (
        <PageLoading />
      ) : data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          {events.length === 0 ? (
            <div className="card">
              <EmptyState
                icon={<Icon of={History} size={36} />}
                {...(hasNextPage ? texts.emptySoFar : isFiltered ? texts.emptyFiltered : texts.empty)}
              />
            </div>
          ) : (
            <ol className="card events" aria-label={texts.log}>
              {events.map((event) => (
                <EventRow key={event.id} event={event} />
              ))}
            </ol>
          )}
          {hasNextPage && (
            <Button className="activity-older" busy={isFetching} onClick={() => void fetchNextPage()}>
              {texts.older}
            </Button>
          )}
        </>
      )}
    </>
  );
}

function typesOf(noun: string): EventType[] {
  return TYPES.filter((type) => type.startsWith(`${noun}.`));
}

function isOffered(types: string): boolean {
  return types in eventNames || Object.keys(eventNouns).some((noun) => typesOf(noun).join() === types);
}
