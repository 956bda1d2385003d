// One script, because it compresses better than one for each view. Only the settings and the activity have
// their own.
export { AnalyticsPage } from './analytics/analytics-page.tsx';
export { HostsPage } from './hosts/hosts-page.tsx';
export { JobsPage } from './jobs/jobs-page.tsx';
export { LinkForm } from './links/link-form.tsx';
export { LinkPage } from './links/link-page.tsx';
