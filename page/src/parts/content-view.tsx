import { useMemo } from 'preact/hooks';
import type { Content } from '../../../lib/dashboard/api.js';
import { bytesWords } from '../core/words.js';
import { Boundary } from './boundary.js';
import { CopyButton } from './copy-button.js';
import { JsonTree } from './json-tree.js';

export function ContentView({ title, content }: { title: string; content: Content }) {
  return (
    <Boundary what={title}>
      <ContentCard title={title} content={content} />
    </Boundary>
  );
}

function ContentCard({ title, content }: { title: string; content: Content }) {
  // Every answer brings a value of its own: it is drawn anew only where it says something else.
  const same = JSON.stringify(content);
  return useMemo(() => {
    const isJson = 'json' in content;
    return (
      <section class="card">
        <header class="card-head">
          <h2>{title}</h2>
          <span class="faint num">{bytesWords(content.bytes)}</span>
          <CopyButton
            text={() => (isJson ? JSON.stringify(content.json, null, 2) : content.text)}
            what={title}
          />
        </header>
        <div class="card-body json">
          {isJson ? <JsonTree value={content.json} /> : <pre>{content.text}</pre>}
          {!isJson && content.isCut && (
            <p class="faint">Too large to be shown as a whole: this is its beginning.</p>
          )}
        </div>
      </section>
    );
  }, [title, same]);
}
