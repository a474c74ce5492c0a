import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** A button that opens a list of others. It closes on Esc, on a choice, and when somebody clicks or goes elsewhere. */
export function Menu({ label, children }: { label: string; children: ComponentChildren }) {
  const element = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => (element.current!.open = false);
  // The focus stays with the menu: what is hidden loses it, and could not be given it back after a question.
  const closeAndStay = () => {
    element.current!.querySelector('summary')!.focus();
    close();
  };
  const isElsewhere = (target: EventTarget | null) =>
    target instanceof Node && !element.current!.contains(target);
  useEffect(() => {
    if (!isOpen) return;
    const look = ({ target }: Event) => isElsewhere(target) && close();
    addEventListener('pointerdown', look);
    return () => removeEventListener('pointerdown', look);
  }, [isOpen]);
  return (
    <details
      ref={element}
      class="menu"
      onToggle={(event) => setOpen(event.currentTarget.open)}
      onFocusOut={({ relatedTarget }) => isElsewhere(relatedTarget) && close()}
      onKeyDown={({ key }) => key === 'Escape' && isOpen && closeAndStay()}
    >
      <summary class="button is-small">{label}</summary>
      <div class="menu-list" onClick={closeAndStay}>
        {children}
      </div>
    </details>
  );
}
