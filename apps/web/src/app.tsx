import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Redirect, Route, Router, Switch } from 'wouter';
import { shareFirstReads } from './api/first-reads.ts';
import { createQueryClient } from './api/query-client.ts';
import { ToastProvider } from './components/toast.tsx';
import { NotFoundPage } from './layout/not-found-page.tsx';
import { PageLoading } from './layout/page-loading.tsx';
import { Shell } from './layout/shell.tsx';
import { SessionGate } from './session/session-gate.tsx';
import { loadAnalytics, loadLinks, loadSettings } from './views.ts';

const LinksPage = lazy(loadLinks);
const AnalyticsPage = lazy(loadAnalytics);
const SettingsPage = lazy(loadSettings);

const queryClient = createQueryClient();
shareFirstReads(queryClient);

/** The whole dashboard. */
export function App() {
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
