import type { AccountEvent } from '@waymark/contract';
import { Words } from '../components/words.tsx';
import { linkActivityPath } from '../links/link-path.ts';
import { Link } from '../router.tsx';
import { eventNames, activity as texts } from '../texts/activity.ts';
import { minuteText } from '../texts/locale.ts';
import { actorText, changesOf, factOf, linkOf, subjectOf } from './event-words.ts';

/** An event: what happened to what, who did it and when, and what changed. */
export function EventRow({ event }: { event: AccountEvent }) {
  const { type, actor, created_at } = event;
  const subject = subjectOf(event);
  const link = linkOf(event);
  const changes = changesOf(event);
  const fact = factOf(event);
  return (
    <li className="event">
      <div>
        <strong>{eventNames[type] ?? type}</strong>{' '}
        {subject &&
          (subject.path === null ? (
            <span translate={false} dir="auto">
              {subject.name}
            </span>
          ) : (
            <Link href={subject.path} translate={false} dir="auto">
              {subject.name}
            </Link>
          ))}
      </div>
      <p className="event-who quiet">
        {link && (
          <Link href={linkActivityPath(link)} aria-label={texts.historyOf(link.name)}>
            {texts.history}
          </Link>
        )}
        {actor && <Words text={texts.by(actorText(actor))} verbatim={actor.name ?? actor.hint ?? undefined} />}
        <time dateTime={created_at}>{minuteText(created_at)}</time>
      </p>
      {(fact || changes.length > 0) && (
        <dl className="event-changes">
          {fact && (
            <div>
              <dt>{fact.label}</dt>
              <dd translate={false} dir="auto">
                {fact.text}
              </dd>
            </div>
          )}
          {changes.map(({ field, label, values }) => (
            <div key={field}>
              <dt>{label}</dt>
              <dd>
                {values === null ? (
                  texts.changed
                ) : (
                  <>
                    <del translate={false} dir="auto">
                      {values.from}
                    </del>
                    <span aria-hidden> → </span>
                    <ins translate={false} dir="auto">
                      {values.to}
                    </ins>
                  </>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}
