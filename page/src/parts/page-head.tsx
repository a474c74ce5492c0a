import type { ComponentChildren } from 'preact';

export function PageHead({ title, children }: { title: ComponentChildren; children?: ComponentChildren }) {
  return (
    <div class="page-head">
      <h1>{title}</h1>
      {children && <div class="page-head-side">{children}</div>}
    </div>
  );
}
