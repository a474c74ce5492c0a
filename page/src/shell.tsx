import { useEffect, useRef } from 'preact/hooks';
import type { Overview } from '../../lib/dashboard/api.js';
import { OverviewContext } from './core/overview.js';
import { useLive, usePage } from './core/page-parts.js';
import { useResource } from './core/resource.js';
import { readRoute, useHash, type PageName, type Route } from './core/route.js';
import { Boundary } from './parts/boundary.js';
import { NoticeList } from './parts/notice-list.js';
import { adviceFor, Empty, ReloadPage } from './parts/states.js';
import { SideBar } from './parts/side-bar.js';
import { EnqueuePage } from './pages/enqueue-page.js';
import { FailuresPage } from './pages/failures-page.js';
import { JobsPage } from './pages/jobs-page.js';
import { OverviewPage } from './pages/overview-page.js';
import { QueuesPage } from './pages/queues-page.js';
import { SchedulePage } from './pages/schedule-page.js';
import { SchedulesPage } from './pages/schedules-page.js';
import { TaskPage } from './pages/task-page.js';
import { TasksPage } from './pages/tasks-page.js';

/** What stands around every page, and the page that the address names. */
export function Shell() {
  const hash = useHash();
  const route = readRoute(hash);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const { state } = useLive();
  const { places } = usePage();
  // The stream tells its counts: all of it is asked for again only where all of it is on view.
  const isWhole = state !== 'live' || wholePages.includes(route.page ?? '') || route.query.has('queue');
  const overview = useResource<Overview>('overview', {}, { refresh: isWhole ? 'live' : 'rarely' });

  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    // As if the browser had loaded another page, or gone back to one.
    scrollTo(0, places.scrolled);
    main.current?.focus({ preventScroll: true });
  }, [route.page, route.query.get('id')]);

  return (
    <OverviewContext.Provider value={overview}>
      <a
        class="skip-link"
        href="#content"
        onClick={(event) => {
          // The hash is the view's.
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <SideBar page={route.page} />
      <main id="content" ref={main} tabIndex={-1}>
        <Outage />
        <Page route={route} />
      </main>
      <NoticeList />
    </OverviewContext.Provider>
  );
}

const wholePages: readonly string[] = ['overview', 'queues'];

const pages: Record<PageName, (props: { query: URLSearchParams }) => preact.JSX.Element> = {
  overview: OverviewPage,
  tasks: TasksPage,
  task: TaskPage,
  failures: FailuresPage,
  schedules: SchedulesPage,
  schedule: SchedulePage,
  queues: QueuesPage,
  jobs: JobsPage,
  enqueue: EnqueuePage,
};

function Page({ route: { page, query } }: { route: Route }) {
  if (!page)
    return (
      <Empty title="There is no such page.">
        <a href="#/overview">Go to the overview</a>
      </Empty>
    );
  const Shown = pages[page];
  return (
    <Boundary key={`${page} ${query.get('id') ?? ''}`} what="This page">
      <Shown key={page} query={query} />
    </Boundary>
  );
}

/** What is on view may be old: that is said on top of it. */
function Outage() {
  const { state, outage } = useLive();
  if (state !== 'down' || !outage) return null;
  return (
    <div class="outage" role="alert">
      <strong>{outage.message}</strong> What you see may be out of date. {adviceFor(outage)}{' '}
      {outage.isSignedOut && <ReloadPage />}
    </div>
  );
}
