// One script for both, because each leads to the other.
export { ActivityPage } from './activity/activity-page.tsx';
export { WebhooksPage } from './webhooks/webhooks-page.tsx';
