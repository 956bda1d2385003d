export const loadLinks = () => import('./links/links-page.tsx');
export const loadAnalytics = () => import('./analytics/analytics-page.tsx');
export const loadSettings = () => import('./settings/settings-page.tsx');

/** Begins to load the script of the view of the address. If it fails, the view tries again and shows why. */
export function preloadView(): void {
  const load = { '/app/analytics': loadAnalytics, '/app/settings': loadSettings }[location.pathname] ?? loadLinks;
  load().catch(() => undefined);
}
