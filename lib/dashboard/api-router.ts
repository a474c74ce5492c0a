import type { Access, Visitor } from './access.js';
import { apiVersion } from './api/basics.js';
import { ApiFailure, noAnswer, notFound } from './http/api-failure.js';
import type { Call } from './http/call.js';
import { refuseOtherSites, requireSameOrigin } from './http/same-origin.js';
import type { Answer, FrameworkResponse } from './http/send.js';
import { Asked, type Route } from './routes/route.js';

export const apiPrefix = `api/v${apiVersion}/`;

/** A store that is away must not keep a page waiting; acting on many takes longer. */
const patienceMs = { GET: 10_000, POST: 30_000 };

/** Finds what is asked, and whether the one who asks may. */
export class ApiRouter {
  constructor(
    private readonly routes: readonly Route[],
    private readonly access: Access,
    private readonly log: (line: string) => void,
  ) {}

  async answer(call: Call, visitor: Visitor, response: FrameworkResponse): Promise<Answer | 'taken'> {
    refuseOtherSites(call);
    const route = this.find(call);
    if (route.method === 'POST') requireSameOrigin(call);
    const who = visitor.user === undefined ? 'somebody' : JSON.stringify(visitor.user);
    this.require(route, visitor, who);
    const asked = new Asked(call, visitor, response, (what) => this.log(`${who}: ${what}`));
    return within(patienceMs[route.method], route.handle(asked));
  }

  private find({ path, method }: Call): Route {
    const name = path.startsWith(apiPrefix) ? path.slice(apiPrefix.length) : undefined;
    const found = this.routes.filter((route) => route.path === name);
    if (found.length === 0)
      throw notFound(`the API has no ${path.slice(0, 100)}; its routes are below ${apiPrefix}`);
    const route = found.find((one) => one.method === method || (one.method === 'GET' && method === 'HEAD'));
    if (route) return route;
    const allow = found.map((one) => (one.method === 'GET' ? 'GET, HEAD' : one.method)).join(', ');
    throw new ApiFailure(405, 'METHOD_NOT_ALLOWED', `${method} cannot be asked here, but ${allow}`, {
      headers: { allow },
    });
  }

  private require(route: Route, visitor: Visitor, who: string): void {
    try {
      this.access.require(route.role, visitor);
    } catch (error) {
      this.log(`${who}: ${route.path} refused, for lack of the role '${route.role}'`);
      throw error;
    }
  }
}

async function within<T>(ms: number, answer: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(noAnswer(`it took more than ${ms / 1_000} seconds`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
