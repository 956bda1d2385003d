import type { Link } from '@waymark/contract';
import { serverNow } from '../api/server-clock.ts';
import { Words } from '../components/words.tsx';
import { links, visibilities } from '../texts/links.ts';
import { dayText } from '../texts/locale.ts';

/** Who can follow a link, and whether it is archived, expires or is broken. Nothing for an ordinary link. */
export function LinkBadges({ link }: { link: Link }) {
  const expires = link.expires_at === null ? null : new Date(link.expires_at);
  const expired = expires !== null && expires <= serverNow();
  return (
    <>
      {link.visibility !== 'public' && (
        <span key={link.visibility} className={`badge badge-${link.visibility}`}>
          {visibilities[link.visibility]}
        </span>
      )}
      {link.health.state === 'broken' && (
        <span className="badge badge-broken">
          <Words text={links.broken(dayText(link.health.since!), link.health.status)} />
        </span>
      )}
      {link.archived && <span className="badge">{links.archivedBadge}</span>}
      {expired && <span className="badge badge-expired">{links.expiredBadge}</span>}
      {expires !== null && !expired && (
        <span className="badge">
          <Words text={links.expires(dayText(expires))} />
        </span>
      )}
    </>
  );
}
