import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { failureOf } from '../core/api-failure.js';
import { usePage } from '../core/page-parts.js';

/** Does something, once at a time, and says where it went wrong. */
export function ActButton({
  act,
  label,
  kind = '',
  children,
}: {
  act: () => Promise<void>;
  /** Where the text beside it does not say what it is about. */
  label?: string;
  kind?: string;
  children: ComponentChildren;
}) {
  const { notices, live } = usePage();
  const [isBusy, setBusy] = useState(false);
  const go = async () => {
    setBusy(true);
    try {
      await act();
      live.lookNow();
    } catch (error) {
      notices.warn(failureOf(error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type="button"
      class={`button ${kind}`}
      aria-label={label}
      disabled={isBusy}
      onClick={() => void go()}
    >
      {children}
    </button>
  );
}
