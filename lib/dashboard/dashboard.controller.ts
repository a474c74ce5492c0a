import { All, Controller, Inject, Req, Res, UseGuards, VERSION_NEUTRAL, type Type } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Dashboard } from './dashboard.js';
import type { FrameworkRequest } from './http/call.js';
import type { FrameworkResponse } from './http/send.js';
import type { ResolvedMount } from './resolve-dashboard-options.js';

/** What `@nestjs/swagger` reads: a route for every method and path says nothing to its readers, `openApi()` does. */
const excludedFromSwagger = 'swagger/apiExcludeController';

/**
 * A controller for one mounted dashboard. It is an ordinary one, so that the application's global prefix, versions and guards
 * are Nest's business; all paths are one route, so that nothing of the dashboard is reached past them. It answers by itself,
 * so that what the application makes of its own answers and errors leaves those of the API as they are.
 */
export function dashboardController({ path, guards }: Pick<ResolvedMount, 'path' | 'guards'>): Type {
  const adapter: { host?: HttpAdapterHost } = {};

  @Controller({ path, version: VERSION_NEUTRAL })
  @UseGuards(...guards)
  class JobsDashboardController {
    constructor(
      @Inject(Dashboard) private readonly dashboard: Dashboard,
      @Inject(HttpAdapterHost) host: HttpAdapterHost,
    ) {
      adapter.host = host;
    }

    @All(pathsFor(adapter))
    answer(@Req() request: FrameworkRequest, @Res() response: FrameworkResponse): Promise<void> {
      return this.dashboard.answer(request, response);
    }
  }
  Reflect.defineMetadata(excludedFromSwagger, [true], JobsDashboardController);
  return JobsDashboardController;
}

/**
 * The page, and all below it. Express and Fastify write that differently, and which one it is, is known when Nest reads the
 * paths, not when the class is made.
 */
function pathsFor(adapter: { readonly host?: HttpAdapterHost }): string[] {
  const below = () => (adapter.host?.httpAdapter.getType() === 'fastify' ? '*' : '{*rest}');
  return Object.defineProperty(['', ''], 1, { get: below, enumerable: true });
}
