import { tokenHeader, type ApiError } from '../../../lib/dashboard/api.js';
import { ApiFailure } from './api-failure.js';
import { searchOf, type Query } from './query.js';

/** The server's API. Everything is asked for below the page's own address, wherever that is. */
export class Api {
  private token = '';
  private readonly base = new URL('api/v1/', document.baseURI);

  /** `onAnswer` learns of each call whether it was answered. */
  constructor(private readonly onAnswer: (failure?: ApiFailure) => void) {}

  /** What proves to the server that its own page asks. */
  useToken(token: string): void {
    this.token = token;
  }

  address(path: string): string {
    return new URL(path, this.base).href;
  }

  get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return this.call<T>(path + searchOf(query), { signal });
  }

  post<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
    const headers = { 'content-type': 'application/json', [tokenHeader]: this.token };
    return this.call<T>(path, { method: 'POST', headers, body: JSON.stringify(body), signal });
  }

  private async call<T>(path: string, init: RequestInit): Promise<T> {
    const response = await this.answer(path, init);
    const body = await readBody(response, init.signal);
    if (!response.ok || body === undefined) {
      const failure = refusal(response, body);
      this.onAnswer(failure);
      throw failure;
    }
    this.onAnswer();
    return body as T;
  }

  private async answer(path: string, init: RequestInit): Promise<Response> {
    const headers = { accept: 'application/json', ...(init.headers as Record<string, string> | undefined) };
    try {
      // Whoever leads elsewhere wants somebody to sign in there, which a call cannot.
      const how = { credentials: 'same-origin', redirect: 'manual' } as const;
      return await fetch(this.address(path), { ...how, ...init, headers });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      const failure = new ApiFailure('UNREACHABLE', 'The application gives no answer.', 0);
      this.onAnswer(failure);
      throw failure;
    }
  }
}

async function readBody(response: Response, signal?: AbortSignal | null): Promise<unknown> {
  try {
    return (await response.json()) as unknown;
  } catch (error) {
    if (signal?.aborted) throw error;
    return undefined;
  }
}

function refusal({ status, ok, type, headers }: Response, body: unknown): ApiFailure {
  const retryAfterMs = Number(headers.get('retry-after')) * 1_000 || undefined;
  if (isApiError(body)) {
    const { code, message, violations } = body.error;
    return new ApiFailure(code, message, status, { violations, retryAfterMs });
  }
  if (status === 401 || type === 'opaqueredirect')
    return new ApiFailure('REFUSED', 'You are not signed in.', status);
  if (status === 403) return new ApiFailure('REFUSED', 'The application refused this.', status);
  if (status === 413) return new ApiFailure('BODY_TOO_LARGE', tooLarge, status);
  const said = ok ? 'The answer is no JSON.' : `The application answered ${status}.`;
  return new ApiFailure('INTERNAL', said, status, { retryAfterMs });
}

const tooLarge =
  'The application takes no request as large as this one. Its body parser bounds it, to 100 kB on Express unless it is told otherwise, or a proxy before it does.';

function isApiError(body: unknown): body is ApiError {
  const error = (body as Partial<ApiError> | null | undefined)?.error;
  return typeof error === 'object' && typeof error.code === 'string';
}
