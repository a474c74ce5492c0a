import type { CanActivate, DynamicModule, ForwardReference, Type } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import type { Duration } from '../task/duration.js';
import type { DashboardRole } from './api/basics.js';

/** What any request of Express and of Fastify has. */
export interface DashboardRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Where a guard has put who asks. */
  readonly user?: unknown;
}

/** What can be said only where the module is imported: routes are made from it. */
export interface DashboardMount {
  /**
   * Where the dashboard is, below the application's global prefix.
   * @default '/jobs'
   */
  path?: string;
  /**
   * The application's own guards. They are made by Nest, and run, after global ones, before anything of the dashboard is
   * answered: its files and its stream, too.
   * @default none
   */
  guards?: readonly (Type<CanActivate> | CanActivate)[];
  /** The modules whose providers the guards need. */
  imports?: (Type | DynamicModule | Promise<DynamicModule> | ForwardReference)[];
}

export interface DashboardSettings {
  /**
   * What the one who asks may do, decided anew for each request; `false`: nothing. `operate` and `enqueue` include `view`.
   * @default where there are guards, everything; else nothing, but everything where NODE_ENV is 'development'
   */
  authorize?(this: void, request: DashboardRequest): Authorized | Promise<Authorized>;
  /**
   * Who asks, for the log of what was done and for the page.
   * @default what a guard has put into `request.user`: its name, email, username, sub or id
   */
  user?(this: void, request: DashboardRequest): string | undefined | Promise<string | undefined>;
  /**
   * Whether nobody may do anything but look.
   * @default false
   */
  readOnly?: boolean;
  /**
   * What stands above the page.
   * @default 'Jobs'
   */
  title?: string;
  /** From when on something is shown as a trouble. */
  troubles?: TroubleBounds;
  /**
   * Most live streams at once in this process; beyond, pages poll.
   * @default 100
   */
  streams?: number;
}

export type Authorized = readonly DashboardRole[] | false;

export interface TroubleBounds {
  /**
   * How long a task may wait for its run after it was due: one bound for every queue, or one per queue.
   * @default '5m', also for queues that are not named
   */
  oldestWaiting?: Duration | Readonly<Record<string, Duration>>;
  /**
   * How many tasks of a queue must have died within an hour.
   * @default 10
   */
  deadPerHour?: number;
}

/** What `JobsDashboardModule.forRoot` takes. Everything has a default; without `guards` or `authorize` it is closed. */
export interface JobsDashboardOptions extends DashboardMount, DashboardSettings {}
