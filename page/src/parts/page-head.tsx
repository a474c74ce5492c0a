import type { ComponentChildren } from 'preact';
import { useTitle } from '../core/title.js';

export function PageHead({ title, children }: { title: string; children?: ComponentChildren }) {
  useTitle(title);
  return (
    <div class="page-head">
      <h1>{title}</h1>
      {children && <div class="page-head-side">{children}</div>}
    </div>
  );
}
