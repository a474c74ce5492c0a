import type { StateCounts } from '../../../lib/dashboard/api.js';
import { useCurrentInSight } from '../core/in-sight.js';
import { useCounts, useTroubleCount } from '../core/overview.js';
import { useLive, useMay, usePage } from '../core/page-parts.js';
import { hrefOf, type PageName } from '../core/route.js';
import { themes, useTheme } from '../core/theme.js';
import { counted } from '../core/words.js';
import { Icon, type IconName } from './icon.js';

interface Entry {
  readonly page: PageName & IconName;
  readonly label: string;
  /** Pages that are reached through it. */
  readonly holds?: readonly PageName[];
  readonly count?: (counts: StateCounts) => number;
  readonly isBad?: boolean;
  /** What is counted, where that is not told by what it stands beside. */
  readonly meaning?: string;
}

const entries: readonly Entry[] = [
  { page: 'overview', label: 'Overview', isBad: true, meaning: 'wrong' },
  { page: 'tasks', label: 'Tasks', holds: ['task'], count: ({ waiting, pending }) => waiting + pending },
  { page: 'failures', label: 'Failures', count: ({ dead }) => dead, isBad: true },
  { page: 'schedules', label: 'Schedules', holds: ['schedule'] },
  { page: 'queues', label: 'Queues' },
  { page: 'jobs', label: 'Jobs', holds: ['enqueue'] },
];

export function SideBar({ page }: { page: PageName | undefined }) {
  const { session } = usePage();
  const counts = useCounts();
  const troubles = useTroubleCount();
  const row = useCurrentInSight<HTMLElement>(page ?? '');
  const mayEnqueue = useMay('enqueue');
  return (
    <header class="side">
      <a class="brand" href={hrefOf('overview')}>
        <BrandMark />
        <span>{session.title}</span>
      </a>
      <nav aria-label="Pages" ref={row}>
        <ul>
          {entries.map(({ page: name, label, holds, count, isBad, meaning }) => {
            const isHere = page === name || (page !== undefined && holds?.includes(page));
            const shown = name === 'overview' ? troubles : counts && count?.(counts);
            return (
              <li key={name}>
                <a href={hrefOf(name)} aria-current={isHere ? 'page' : undefined}>
                  <Icon name={name} />
                  <span>{label}</span>
                  {shown ? (
                    <span class={isBad ? 'tally is-bad' : 'tally'} title={meaning}>
                      {counted(shown)}
                      {meaning && <span class="visually-hidden"> {meaning}</span>}
                    </span>
                  ) : null}
                </a>
              </li>
            );
          })}
        </ul>
      </nav>
      {mayEnqueue && (
        <a class="button side-enqueue" href={hrefOf('enqueue')}>
          <Icon name="plus" /> Enqueue a job
        </a>
      )}
      <div class="side-foot">
        <LiveMark />
        <Visitor />
        <ThemeSwitch />
      </div>
    </header>
  );
}

function BrandMark() {
  return (
    <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M9 10h14M9 16h9M9 22h5" />
      <circle cx="22" cy="21" r="3.5" />
    </svg>
  );
}

const liveWords = {
  connecting: ['Connecting', 'The first answer is under way.'],
  live: ['Live', 'Changes are shown as they happen.'],
  polling: ['Every few seconds', 'There is no live stream right now: the page asks again every few seconds.'],
  down: ['No answer', 'The store or the application gives no answer.'],
} as const;

function LiveMark() {
  const { state } = useLive();
  const [label, meaning] = liveWords[state];
  return (
    <span class={`live is-${state}`} title={meaning} role="status">
      {label}
    </span>
  );
}

function Visitor() {
  const { session } = usePage();
  const mayAct = !session.isReadOnly && session.roles.some((role) => role !== 'view');
  if (!session.user && mayAct) return null;
  return (
    <span class="visitor">
      {session.user && <span class="cut">{session.user}</span>}
      {!mayAct && (
        <span class="badge" title="You may look, and change nothing.">
          read only
        </span>
      )}
    </span>
  );
}

function ThemeSwitch() {
  const [theme, choose] = useTheme();
  return (
    <div class="theme" role="group" aria-label="Colours">
      {themes.map((name) => (
        <button
          key={name}
          type="button"
          class="plain"
          aria-pressed={theme === name}
          aria-label={name === 'system' ? 'As the system' : name === 'light' ? 'Light' : 'Dark'}
          title={name === 'system' ? 'As the system' : name === 'light' ? 'Light' : 'Dark'}
          onClick={() => choose(name)}
        >
          <Icon name={name} />
        </button>
      ))}
    </div>
  );
}
