import { QueryClientProvider } from '@tanstack/preact-query';
import { watchGoneLinks, watchUncertainChanges } from './api/links-changed.ts';
import { createQueryClient } from './api/query-client.ts';
import { LazyView } from './layout/lazy-view.tsx';
import { NotFoundPage } from './layout/not-found-page.tsx';
import { Shell } from './layout/shell.tsx';
import { LinksPage } from './links/links-page.tsx';
import { Redirect, Route, Switch } from './router.tsx';
import { followSession } from './session/follow-session.ts';
import { SessionGate } from './session/session-gate.tsx';

const loadActivity = async () => (await import('./other-views.ts')).ActivityPage;
const loadAnalytics = async () => (await import('./other-views.ts')).AnalyticsPage;
const loadHashtags = async () => (await import('./other-views.ts')).HashtagsPage;
const loadHosts = async () => (await import('./other-views.ts')).HostsPage;
const loadJobs = async () => (await import('./other-views.ts')).JobsPage;
const loadLink = async () => (await import('./other-views.ts')).LinkPage;
const loadSettings = async () => (await import('./other-views.ts')).SettingsPage;
const loadWebhooks = async () => (await import('./other-views.ts')).WebhooksPage;

export const queryClient = createQueryClient();
watchGoneLinks(queryClient);
followSession(queryClient);
watchUncertainChanges(queryClient);

/** The whole dashboard. */
export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <SessionGate>
        <Shell>
          <Switch>
            <Route path="/">
              <Redirect to="/links" />
            </Route>
            <Route path="/links" component={LinksPage} />
            <Route path="/links/:id">
              <LazyView load={loadLink} />
            </Route>
            <Route path="/analytics">
              <LazyView load={loadAnalytics} />
            </Route>
            <Route path="/hashtags">
              <LazyView load={loadHashtags} />
            </Route>
            <Route path="/hosts">
              <LazyView load={loadHosts} />
            </Route>
            <Route path="/jobs">
              <LazyView load={loadJobs} />
            </Route>
            <Route path="/activity">
              <LazyView load={loadActivity} />
            </Route>
            <Route path="/activity/webhooks">
              <LazyView load={loadWebhooks} />
            </Route>
            <Route path="/settings">
              <LazyView load={loadSettings} />
            </Route>
            <Route component={NotFoundPage} />
          </Switch>
        </Shell>
      </SessionGate>
    </QueryClientProvider>
  );
}
