import { useState } from 'preact/hooks';
import { many } from '../core/words.js';

const shownAtOnce = 100;
const shownText = 2_000;

/** A JSON value that can be folded. Whatever it holds, it is text. */
export function JsonTree({ value, depth = 0 }: { value: unknown; depth?: number }) {
  if (typeof value !== 'object' || value === null) return <Leaf value={value} />;
  return <Branch value={value} depth={depth} />;
}

/** What is folded is not drawn: of a deep or wide value no more than is looked at. */
function Branch({ value, depth }: { value: object; depth: number }) {
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [shown, show] = useState(shownAtOnce);
  const [isOpen, setOpen] = useState(depth < 2 && entries.length <= shownAtOnce);
  if (entries.length === 0) return <span class="json-leaf">{isList ? '[ ]' : '{ }'}</span>;
  const size = isList ? many(entries.length, 'item') : many(entries.length, 'field');
  return (
    <details class="json-branch" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{size}</summary>
      {isOpen && (
        <ul>
          {entries.slice(0, shown).map(([name, part]) => (
            <li key={name}>
              <span class="json-name">{name}</span>
              <JsonTree value={part} depth={depth + 1} />
            </li>
          ))}
        </ul>
      )}
      {isOpen && shown < entries.length && (
        <button type="button" class="button is-small" onClick={() => show(shown + shownAtOnce * 5)}>
          Show more of {size}
        </button>
      )}
    </details>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [isWhole, showWhole] = useState(false);
  const text = JSON.stringify(value) ?? 'undefined';
  const isCut = text.length > shownText && !isWhole;
  return (
    <span class={`json-leaf is-${value === null ? 'null' : typeof value}`}>
      {isCut ? `${text.slice(0, shownText)}…` : text}
      {isCut && (
        <button type="button" class="button is-small" onClick={() => showWhole(true)}>
          Show all of it
        </button>
      )}
    </span>
  );
}
