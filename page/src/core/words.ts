const numbers = new Intl.NumberFormat('en');

export function counted(count: number): string {
  return numbers.format(count);
}

/** As in `1 task`, `1,204 tasks`. */
export function many(count: number, one: string, more = `${one}s`): string {
  return `${counted(count)} ${count === 1 ? one : more}`;
}

const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1_000 },
] as const;

/** A span in its two largest units: `420 ms`, `3 min 12 s`, `2 d 4 h`. */
export function spanWords(ms: number): string {
  const whole = Math.max(ms, 0);
  if (whole < 1_000) return `${Math.round(whole)} ms`;
  if (whole < 10_000) return `${(Math.floor(whole / 100) / 10).toFixed(1)} s`;
  const at = units.findIndex((unit) => whole >= unit.ms);
  const [unit, next] = [units[at]!, units[at + 1]];
  const first = Math.floor(whole / unit.ms);
  const rest = next ? Math.floor((whole - first * unit.ms) / next.ms) : 0;
  return rest && next ? `${first} ${unit.name} ${rest} ${next.name}` : `${first} ${unit.name}`;
}

/** A span in its largest unit alone. */
export function roughWords(ms: number): string {
  const unit = units.find((unit) => ms >= unit.ms) ?? units[3];
  return `${Math.floor(ms / unit.ms)} ${unit.name}`;
}

/** `12 s ago`, `in 3 min`, and the day itself where it is far away. */
export function agoWords(at: number, now: number): string {
  const away = now - at;
  if (Math.abs(away) > 30 * 86_400_000) return dayWords(at);
  if (Math.abs(away) < 1_000) return 'now';
  return away > 0 ? `${roughWords(away)} ago` : `in ${roughWords(-away)}`;
}

function dayWords(at: number): string {
  return isMoment(at) ? new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' }) : String(at);
}

const exactly: Intl.DateTimeFormatOptions = {
  weekday: 'short',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  timeZoneName: 'short',
};

/** In the reader's zone, which is named, and as it was sent. */
export function exactWords(at: number): string {
  if (!isMoment(at)) return String(at);
  const date = new Date(at);
  const local = date.toLocaleString(undefined, exactly);
  return `${local} (${date.toISOString()})`;
}

/** `14:03:22` today, with its day on any other. */
export function clockWords(at: number, now: number): string {
  if (!isMoment(at)) return String(at);
  const date = new Date(at);
  const time = date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.toLocaleDateString(undefined, { month: 'short', day: 'numeric', ...yearWhere(date, now) })}, ${time}`;
}

function yearWhere(date: Date, now: number): { year?: 'numeric' } {
  return date.getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' };
}

function isMoment(at: number): boolean {
  return Number.isFinite(new Date(at).getTime());
}

export function bytesWords(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} kB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
