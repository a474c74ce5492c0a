import { useEffect, useRef, useState } from 'preact/hooks';
import type { JobList } from '../../../lib/dashboard/api.js';
import { useQueueNames } from '../core/overview.js';
import { useResource } from '../core/resource.js';
import { useSettled } from '../core/settled.js';
import { Icon } from '../parts/icon.js';

const hourMs = 3_600_000;
const spans = [
  { ms: hourMs / 4, words: 'Last 15 minutes' },
  { ms: hourMs, words: 'Last hour' },
  { ms: hourMs * 24, words: 'Last 24 hours' },
  { ms: hourMs * 24 * 7, words: 'Last 7 days' },
];

/** What may be left out of a list of tasks or of failures. */
export interface Filtered {
  readonly queue: readonly string[];
  readonly job: readonly string[];
  readonly sinceMs?: number;
  readonly from?: number;
  readonly to?: number;
  readonly text: string;
}

type Change = (change: Partial<Filtered>) => void;

export function TaskFilters({ view, onChange }: { view: Filtered; onChange: Change }) {
  const queues = useQueueNames();
  const jobs = useResource<JobList>('jobs').data?.jobs.map(({ name }) => name) ?? [];
  return (
    <div class="filters" role="search">
      <TextFilter text={view.text} onChange={(text) => onChange({ text })} />
      <NameFilter
        label="Queue"
        names={queues}
        chosen={view.queue}
        onChange={(queue) => onChange({ queue })}
      />
      <NameFilter label="Job" names={jobs} chosen={view.job} onChange={(job) => onChange({ job })} />
      <TimeFilter view={view} onChange={onChange} />
    </div>
  );
}

export function TextFilter({
  text,
  onChange,
  placeholder = 'Search ids, jobs, params, errors',
}: {
  text: string;
  onChange: (text: string) => void;
  placeholder?: string;
}) {
  const [typed, type] = useState(text);
  const settled = useSettled(typed);
  const sent = useRef(text);
  useEffect(() => {
    if (settled === sent.current) return;
    sent.current = settled;
    onChange(settled);
  }, [settled]);
  // The address has changed by other means.
  useEffect(() => {
    if (text === sent.current) return;
    sent.current = text;
    type(text);
  }, [text]);
  return (
    <label class="search">
      <Icon name="search" />
      <span class="visually-hidden">{placeholder}</span>
      <input
        type="search"
        placeholder={placeholder}
        value={typed}
        maxLength={1_000}
        onInput={(event) => type(event.currentTarget.value)}
      />
    </label>
  );
}

export function NameFilter({
  label,
  names,
  chosen,
  onChange,
}: {
  label: string;
  names: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  // An address may name several, and such as are not known here.
  const offered = [...new Set([...names, ...chosen])].sort();
  const isMany = chosen.length > 1;
  return (
    <label class="choice">
      <span>{label}</span>
      <select
        value={isMany ? '\0' : (chosen[0] ?? '')}
        onChange={(event) => onChange(event.currentTarget.value ? [event.currentTarget.value] : [])}
      >
        <option value="">any</option>
        {isMany && <option value={'\0'}>{chosen.length} of them</option>}
        {offered.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function TimeFilter({ view, onChange }: { view: Filtered; onChange: Change }) {
  const [isOwn, setOwn] = useState(view.from !== undefined || view.to !== undefined);
  const choose = (value: string) => {
    setOwn(value === 'own');
    if (value !== 'own')
      onChange({ sinceMs: value ? Number(value) : undefined, from: undefined, to: undefined });
  };
  const moment = (name: 'from' | 'to', label: string) => (
    <label class="choice">
      <span>{label}</span>
      <input
        type="datetime-local"
        step="1"
        value={localText(view[name])}
        onChange={(event) => {
          const at = new Date(event.currentTarget.value).getTime();
          onChange({ sinceMs: undefined, [name]: Number.isNaN(at) ? undefined : at });
        }}
      />
    </label>
  );
  return (
    <>
      <label class="choice">
        <span>Time</span>
        <select
          value={isOwn ? 'own' : (view.sinceMs?.toString() ?? '')}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          <option value="">any</option>
          {spans.map(({ ms, words }) => (
            <option key={ms} value={ms}>
              {words}
            </option>
          ))}
          <option value="own">From … to …</option>
        </select>
      </label>
      {isOwn && moment('from', 'From')}
      {isOwn && moment('to', 'To')}
    </>
  );
}

/** As such an input takes it: in the reader's zone. */
export function localText(at: number | undefined): string {
  if (at === undefined || Number.isNaN(new Date(at).getTime())) return '';
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
