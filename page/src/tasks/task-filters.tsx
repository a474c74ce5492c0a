import { useEffect, useRef, useState } from 'preact/hooks';
import type { JobList } from '../../../lib/dashboard/api.js';
import { useQueueNames } from '../core/overview.js';
import { useResource } from '../core/resource.js';
import { spanWords } from '../core/words.js';
import { useSettled } from '../core/settled.js';
import { Icon } from '../parts/icon.js';
import { timeSpans } from './task-view.js';

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
  const jobs =
    useResource<JobList>('jobs', {}, { refresh: 'rarely' }).data?.jobs.map(({ name }) => name) ?? [];
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
  // The address tells which it is, but for two fields that nobody has filled in yet.
  const [isWanted, want] = useState(false);
  const given = useRef<string>(undefined);
  const now = timeKey(view);
  useEffect(() => {
    if (given.current !== undefined && given.current !== now) want(false);
    given.current = now;
  }, [now]);
  const isOwn = isWanted || view.from !== undefined || view.to !== undefined;
  const change = (time: Pick<Filtered, 'sinceMs' | 'from' | 'to'>) => {
    given.current = timeKey(time);
    onChange(time);
  };
  const choose = (value: string) => {
    want(value === 'own');
    change({ sinceMs: value && value !== 'own' ? Number(value) : undefined, from: undefined, to: undefined });
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
          change({
            from: view.from,
            to: view.to,
            sinceMs: undefined,
            [name]: Number.isNaN(at) ? undefined : at,
          });
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
          {timeSpans.map(({ ms, words }) => (
            <option key={ms} value={ms}>
              Last {words}
            </option>
          ))}
          {view.sinceMs !== undefined && timeSpans.every(({ ms }) => ms !== view.sinceMs) && (
            <option value={view.sinceMs}>Last {spanWords(view.sinceMs)}</option>
          )}
          <option value="own">From … to …</option>
        </select>
      </label>
      {isOwn && moment('from', 'From')}
      {isOwn && moment('to', 'To')}
    </>
  );
}

function timeKey({ sinceMs, from, to }: Pick<Filtered, 'sinceMs' | 'from' | 'to'>): string {
  return JSON.stringify([sinceMs, from, to]);
}

/** As such an input takes it: in the reader's zone. */
export function localText(at: number | undefined): string {
  if (at === undefined || Number.isNaN(new Date(at).getTime())) return '';
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
