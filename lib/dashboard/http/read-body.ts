import type { IncomingMessage } from 'node:http';
import { apiBounds } from '../api/basics.js';
import { ApiFailure } from './api-failure.js';
import type { Call } from './call.js';

/**
 * The JSON body of a request, whether the application has read it already or not. Only JSON counts: a form of another site can
 * be sent without asking the browser, JSON cannot.
 */
export async function readBody(call: Call): Promise<unknown> {
  const [type] = (call.headers['content-type'] ?? '').split(';');
  if (type!.trim().toLowerCase() !== 'application/json')
    throw new ApiFailure(415, 'UNSUPPORTED_MEDIA_TYPE', 'send the request as application/json');
  if (Number(call.headers['content-length'] ?? 0) > apiBounds.bodyBytes) throw tooLarge();
  const { body, raw = call.request as unknown as IncomingMessage } = call.request;
  if (body === undefined && !raw.readableEnded) return parsed(await collected(raw));
  return typeof body === 'string' || Buffer.isBuffer(body) ? parsed(String(body)) : body;
}

async function collected(raw: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of raw) {
    bytes += (chunk as Buffer).length;
    if (bytes > apiBounds.bodyBytes) throw tooLarge();
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ApiFailure(400, 'INVALID_REQUEST', 'the body is no JSON', { cause });
  }
}

function tooLarge(): ApiFailure {
  return new ApiFailure(413, 'BODY_TOO_LARGE', `the body takes more than ${apiBounds.bodyBytes} bytes`);
}
