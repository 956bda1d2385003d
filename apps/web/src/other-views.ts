// One script, because it compresses better than one for each view.
export { ActivityPage } from './activity/activity-page.tsx';
export { AnalyticsPage } from './analytics/analytics-page.tsx';
export { HashtagsPage } from './hashtags/hashtags-page.tsx';
export { HostsPage } from './hosts/hosts-page.tsx';
export { JobsPage } from './jobs/jobs-page.tsx';
export { LinkForm } from './links/link-form.tsx';
export { LinkPage } from './links/link-page.tsx';
export { SavedFiltersDialog } from './links/saved-filters-dialog.tsx';
export { SettingsPage } from './settings/settings-page.tsx';
export { WebhooksPage } from './webhooks/webhooks-page.tsx';
