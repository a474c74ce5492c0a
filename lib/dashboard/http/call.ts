import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { DashboardRequest } from '../dashboard-options.js';

/** A request as Express or Fastify gives it. */
export interface FrameworkRequest extends DashboardRequest {
  readonly originalUrl?: string;
  readonly params?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
  /** Fastify's: Node's own request. */
  readonly raw?: IncomingMessage;
}

/** What is asked of the dashboard. */
export interface Call {
  readonly method: string;
  /** Within the dashboard, without a slash before it, decoded; empty for the page itself. */
  readonly path: string;
  /** As it was asked for. */
  readonly urlPath: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly request: FrameworkRequest;
}

export function callOf(request: FrameworkRequest): Call {
  const url = request.originalUrl ?? request.url;
  const [urlPath = '/', ...query] = url.split('?');
  // Express names the rest of a path, Fastify does not.
  const rest = request.params?.rest ?? request.params?.['*'] ?? '';
  return {
    method: request.method.toUpperCase(),
    path: typeof rest === 'string' ? rest : rest.join('/'),
    urlPath,
    query: new URLSearchParams(query.join('?')),
    headers: request.headers,
    request,
  };
}

/** Whether it came over an encrypted connection, as far as this process can tell. */
export function isEncrypted({ request }: Call): boolean {
  const { socket } = request.raw ?? (request as unknown as IncomingMessage);
  return 'encrypted' in socket && socket.encrypted === true;
}
