import type { ComponentChildren } from 'preact';
import type { ApiFailure } from '../core/api-failure.js';
import type { Resource } from '../core/resource.js';

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="empty-text">{children}</div>}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">Loading {what} …</span>
      <span class="bone" />
      <span class="bone" />
      <span class="bone" />
    </div>
  );
}

export function Failed({ failure, reload }: { failure: ApiFailure; reload: () => void }) {
  return (
    <div class="empty is-bad" role="alert">
      <p class="empty-title">{failure.message}</p>
      <p class="empty-text">{adviceFor(failure)}</p>
      {failure.isSignedOut ? (
        <ReloadPage />
      ) : (
        <button type="button" class="button" onClick={reload}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Where the application asks for a name and a password, it does so for a page, not for a call. */
export function ReloadPage() {
  return (
    <button type="button" class="button" onClick={() => location.reload()}>
      Load this page again
    </button>
  );
}

export function adviceFor({ code, status }: ApiFailure): string {
  if (status === 429) return 'It is asked too much: this page asks again in a while, and less often.';
  switch (code) {
    case 'UNREACHABLE':
      return 'Is it running, and are you connected to its network? This page goes on trying by itself.';
    case 'STORE_UNAVAILABLE':
      return 'Check that the Redis or PostgreSQL server behind the jobs is up and reachable from the application. This page goes on trying by itself.';
    case 'SHUTTING_DOWN':
      return 'The process that answered is about to end. This page goes on trying by itself.';
    case 'REFUSED':
      return 'Sign in to the application, then load this page again.';
    case 'FORBIDDEN':
    case 'CLOSED':
      return 'Ask whoever runs the application for access: its code decides who may look.';
    case 'NOT_FOUND':
      return 'It may have been removed, or its retention may have ended.';
    case 'INVALID_REQUEST':
    case 'INVALID_CURSOR':
      return 'The address of this view asks for something that cannot be answered. Change or clear the filter.';
    default:
      return 'The log of the application may tell more.';
  }
}

/** What came, or why nothing did. */
export function Loaded<T>({
  of: { data, failure, reload },
  what,
  children,
}: {
  of: Resource<T>;
  what: string;
  children: (data: T) => ComponentChildren;
}) {
  if (data !== undefined)
    return (
      <>
        {failure?.isOverload && <NotRefreshed failure={failure} />}
        {children(data)}
      </>
    );
  return failure ? <Failed failure={failure} reload={reload} /> : <Loading what={what} />;
}

/** What is on view is what came before. */
function NotRefreshed({ failure }: { failure: ApiFailure }) {
  return (
    <p class="hint" role="status">
      {failure.message} What you see may be out of date. {adviceFor(failure)}
    </p>
  );
}
