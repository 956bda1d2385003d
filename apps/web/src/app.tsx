import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Redirect, Route, Router, Switch } from 'wouter';
import { createQueryClient } from './api/query-client.ts';
import { ToastProvider } from './components/toast.tsx';
import { NotFoundPage } from './layout/not-found-page.tsx';
import { PageLoading } from './layout/page-loading.tsx';
import { Shell } from './layout/shell.tsx';
import { SessionGate } from './session/session-gate.tsx';

const loadLinks = () => import('./links/links-page.tsx');
const loadAnalytics = () => import('./analytics/analytics-page.tsx');
const loadSettings = () => import('./settings/settings-page.tsx');
const LinksPage = lazy(loadLinks);
const AnalyticsPage = lazy(loadAnalytics);
const SettingsPage = lazy(loadSettings);

/** Begins to load the script of the view at a path, so that it comes while the account is asked for. */
export function preloadView(path: string): void {
  const load = path.startsWith('/app/analytics')
    ? loadAnalytics
    : path.startsWith('/app/settings')
      ? loadSettings
      : loadLinks;
  // If it fails, the view tries again and shows why.
  load().catch(() => undefined);
}

/** The whole dashboard. */
export function App() {
  const [queryClient] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <Router base="/app">
        <ToastProvider>
          <SessionGate>
            <Shell>
              <Suspense fallback={<PageLoading />}>
                <Switch>
                  <Route path="/">
                    <Redirect to="/links" replace />
                  </Route>
                  <Route path="/links" component={LinksPage} />
                  <Route path="/analytics" component={AnalyticsPage} />
                  <Route path="/settings" component={SettingsPage} />
                  <Route component={NotFoundPage} />
                </Switch>
              </Suspense>
            </Shell>
          </SessionGate>
        </ToastProvider>
      </Router>
    </QueryClientProvider>
  );
}
