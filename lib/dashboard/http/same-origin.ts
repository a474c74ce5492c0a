import { randomBytes, timingSafeEqual } from 'node:crypto';
import { tokenHeader } from '../api/basics.js';
import { ApiFailure } from './api-failure.js';
import { isEncrypted, type Call } from './call.js';

const cookieName = 'jobs-token';
const tokenPattern = /^[\w-]{43}$/;

/**
 * Keeps other sites from using the API through a browser that is logged in here, also where the application itself answers
 * other origins. A browser says where a request comes from; one that does not, as over plain HTTP, shows by a token and its
 * cookie that it could read an answer of ours. Nothing is remembered here, so that any process can check what another gave.
 */
export function refuseOtherSites({ headers, method }: Call): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw crossOrigin();
  // Over plain HTTP a browser says nothing of the site; but whoever reads from another origin it names.
  const isRead = method === 'GET' || method === 'HEAD';
  if (site === undefined && isRead && headers.origin !== undefined) throw crossOrigin();
}

/** What only a page of the same origin can show. */
export function requireSameOrigin(call: Call): void {
  const { headers } = call;
  if (headers['sec-fetch-site'] === 'same-origin') return;
  const token = headers[tokenHeader];
  const cookie = cookieIn(headers.cookie);
  const isShown = typeof token === 'string' && tokenPattern.test(token) && cookie !== undefined;
  if (!isShown || !timingSafeEqual(Buffer.from(token), Buffer.from(cookie))) throw crossOrigin();
}

/** A token, and the header that sets its cookie: for the path of this request alone, whatever a proxy has made of it. */
export function giveToken(call: Call): { token: string; headers: Readonly<Record<string, string>> } {
  const token = cookieIn(call.headers.cookie) ?? randomBytes(32).toString('base64url');
  const secure = isEncrypted(call) ? '; Secure' : '';
  return { token, headers: { 'set-cookie': `${cookieName}=${token}; HttpOnly; SameSite=Strict${secure}` } };
}

function cookieIn(header: string | undefined): string | undefined {
  const values = (header ?? '').split(';').map((part) => part.trim().split('='));
  const value = values.find(([name]) => name === cookieName)?.[1];
  return value !== undefined && tokenPattern.test(value) ? value : undefined;
}

function crossOrigin(): ApiFailure {
  const message =
    'this request must come from the dashboard itself: it lacks `Sec-Fetch-Site: same-origin`, and a token with its cookie';
  return new ApiFailure(403, 'CROSS_ORIGIN', message);
}
