import { usePage } from '../core/page-parts.js';
import { Icon } from './icon.js';

export function CopyButton({ text, what }: { text: () => string; what: string }) {
  const { notices } = usePage();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      notices.say(`${what} copied.`);
    } catch {
      // Outside of HTTPS a browser gives no clipboard.
      notices.warn('The browser does not let this page copy: select the text instead.');
    }
  };
  return (
    <button
      type="button"
      class="plain"
      title={`Copy ${what}`}
      aria-label={`Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name="copy" />
    </button>
  );
}
