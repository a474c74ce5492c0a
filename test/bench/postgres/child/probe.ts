import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { OpenProbe } from '../../side-by-side/child/window.js';

const ticksPerSecond = 100;

export const openProbe: OpenProbe = async (url) => {
  const probe = new pg.Client(url);
  // A database that is dropped while this still hangs on it is no failure.
  probe.on('error', () => undefined);
  await probe.connect();
  const file = await probe.query<{ text: string }>(`SELECT pg_read_file('postmaster.pid') AS text`);
  const server = Number.parseInt(file.rows[0]!.text, 10);
  return {
    async read() {
      const cpuSeconds = cpuSecondsOf(server);
      const { rows } = await probe.query<{ bytes: string }>(
        `SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`,
      );
      return { cpuSeconds, logBytes: Number(rows[0]!.bytes) };
    },
    close: () => void probe.end().catch(() => undefined),
  };
};

/** CPU time of a server and of all its processes, also those that have ended; unknown where the system does not tell. */
function cpuSecondsOf(server: number): number {
  try {
    const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').trim().split(/\s+/);
    const own = ticksOf(String(server), 'and ended');
    return [own, ...children.map((child) => ticksOf(child, 'own'))].reduce((a, b) => a + b) / ticksPerSecond;
  } catch {
    return NaN;
  }
}

function ticksOf(pid: string, which: 'own' | 'and ended'): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return 0;
  }
  // The name in brackets may hold spaces; utime, stime, cutime and cstime are the 14th to the 17th field.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [own, ended] = [fields[11]! + fields[12]!, fields[13]! + fields[14]!];
  return which === 'own' ? own : own + ended;
}
