import { Link, useLocation } from '../router.tsx';
import { mayManage, useRole } from '../session/role.ts';
import { activity } from '../texts/activity.ts';
import { webhooks } from '../texts/webhooks.ts';

const TABS = [
  { path: '/activity', text: activity.log },
  { path: '/activity/webhooks', text: webhooks.title },
];

/** Leads from the log to the webhooks that send it, and back. Nothing for a role that manages none. */
export function ActivityTabs() {
  const [location] = useLocation();
  if (!mayManage(useRole())) return null;
  return (
    <nav className="tabs" aria-label={activity.title}>
      {TABS.map(({ path, text }) => (
        <Link key={path} href={path} aria-current={location === path ? 'page' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
