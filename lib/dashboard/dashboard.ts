import { Logger } from '@nestjs/common';
import { Access } from './access.js';
import { ApiRouter } from './api-router.js';
import type { JobCatalog } from '../catalog/job-catalog.js';
import type { JobsHealth } from '../health/jobs-health.js';
import { callOf, type FrameworkRequest } from './http/call.js';
import { failureOf } from './http/failure-of.js';
import { json, send, type Answer, type FrameworkResponse } from './http/send.js';
import { overviewSource } from './overview-source.js';
import { OutageLog } from './outage-log.js';
import { PageServer } from './page/page-server.js';
import type { ResolvedSettings } from './resolve-dashboard-options.js';
import { SharedLook } from './shared-look.js';
import { documentRoute } from './routes/document-route.js';
import { jobRoutes } from './routes/job-routes.js';
import { queueRoutes } from './routes/queue-routes.js';
import { scheduleRoutes } from './routes/schedule-routes.js';
import { sessionRoute } from './routes/session-route.js';
import { taskRoutes } from './routes/task-routes.js';
import { EventStreams } from './stream/event-streams.js';
import { Pulse } from './stream/pulse.js';

/** Answers whatever is asked of the dashboard. */
export class Dashboard {
  private readonly log = new Logger('JobsDashboard');
  private readonly outages = new OutageLog((message, stack) => this.log.error(message, stack));
  private readonly access: Access;
  private readonly router: ApiRouter;
  private readonly page = new PageServer();
  private readonly streams: EventStreams;

  constructor(catalog: JobCatalog, health: JobsHealth, settings: ResolvedSettings, hasGuards: boolean) {
    this.access = new Access(settings, hasGuards);
    const overview = overviewSource(catalog, health, settings);
    const jobs = new SharedLook(() => catalog.jobs());
    this.streams = new EventStreams(new Pulse(overview), settings.streams);
    const acted = () => {
      overview.outdate();
      jobs.outdate();
    };
    const routes = [
      sessionRoute(settings),
      ...queueRoutes(catalog, overview, acted),
      ...taskRoutes(catalog, acted),
      ...scheduleRoutes(catalog, acted),
      ...jobRoutes(catalog, jobs, acted),
      this.streams.route,
      documentRoute(),
    ];
    this.router = new ApiRouter(routes, this.access, (line) => this.log.log(line));
  }

  /** Says in the log what everybody who is refused would ask. */
  announce(path: string): void {
    const { closedBecause, isForAnybody } = this.access;
    const advice = 'give JobsDashboardModule.forRoot your `guards`, or `authorize`';
    if (closedBecause !== undefined)
      this.log.warn(`the dashboard at /${path} answers 403 to everybody: ${closedBecause}; ${advice}`);
    else if (isForAnybody)
      this.log.warn(
        `the dashboard at /${path} is open to whoever reaches this process; elsewhere than in development, ${advice}`,
      );
  }

  async answer(request: FrameworkRequest, response: FrameworkResponse): Promise<void> {
    const answer = await this.answerTo(request, response);
    if (answer !== 'taken') send(response, answer);
  }

  /** Before the server waits for its open answers. */
  close(): void {
    this.streams.close();
  }

  private async answerTo(request: FrameworkRequest, response: FrameworkResponse): Promise<Answer | 'taken'> {
    try {
      const call = callOf(request);
      const visitor = await this.access.visitor(call);
      const isApi = call.path === 'api' || call.path.startsWith('api/');
      return isApi ? await this.router.answer(call, visitor, response) : this.page.answer(call);
    } catch (error) {
      const failure = failureOf(error);
      const { status, body, headers } = failure;
      if (status >= 500) this.outages.failed(failure);
      return json(body, status, headers);
    }
  }
}
