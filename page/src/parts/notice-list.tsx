import { usePage } from '../core/page-parts.js';
import { useWatched } from '../core/watched.js';
import { Icon } from './icon.js';

export function NoticeList() {
  const { notices } = usePage();
  const all = useWatched(
    (changed) => notices.heard(changed),
    () => notices.all,
  );
  return (
    <div class="notices" role="status" aria-live="polite">
      {all.map(({ key, text, isBad, link }) => (
        <div key={key} class={isBad ? 'notice is-bad' : 'notice'}>
          <span>{text}</span>
          {link && <a href={link.href}>{link.text}</a>}
          <button
            type="button"
            class="plain"
            aria-label="Close this notice"
            onClick={() => notices.drop(key)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
