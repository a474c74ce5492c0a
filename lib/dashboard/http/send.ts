import type { ServerResponse } from 'node:http';
import { securityHeaders } from './security-headers.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

interface FastifyReply {
  readonly raw: ServerResponse;
  hijack(): void;
  code(status: number): FastifyReply;
  headers(headers: Readonly<Record<string, string>>): FastifyReply;
  send(body?: string | Buffer): unknown;
}

/** A response as Express or Fastify gives it. */
export type FrameworkResponse = ServerResponse | FastifyReply;

export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(body),
  };
}

/** Answers as the framework does, so that what the application has around its answers (compression, logs) goes on working. */
export function send(response: FrameworkResponse, { status, headers, body }: Answer): void {
  const all = { ...securityHeaders, ...headers };
  if (isReply(response)) {
    response.code(status).headers(all).send(body);
    return;
  }
  if (response.headersSent || response.destroyed) return;
  for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
  if (body !== undefined) response.setHeader('content-length', Buffer.byteLength(body));
  response.statusCode = status;
  response.end(body);
}

/** Takes the connection over: whoever calls writes to it, and ends it. */
export function takeOver(
  response: FrameworkResponse,
  headers: Readonly<Record<string, string>>,
): ServerResponse {
  if (isReply(response)) response.hijack();
  const raw = isReply(response) ? response.raw : response;
  raw.writeHead(200, { ...securityHeaders, ...headers });
  return raw;
}

function isReply(response: FrameworkResponse): response is FastifyReply {
  return 'hijack' in response;
}
