// What a process holds: memory that is in use, and sockets of all its threads, where the machine tells.
import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export async function usage() {
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.();
    await sleep(10);
  }
  return { heapMb: Math.round(process.memoryUsage().heapUsed / 1e5) / 10, sockets: sockets() };
}

function sockets() {
  try {
    return readdirSync('/proc/self/fd').filter(isSocket).length;
  } catch {
    return process.getActiveResourcesInfo().filter((what) => what === 'TCPSocketWrap').length;
  }
}

function isSocket(handle) {
  try {
    return readlinkSync(`/proc/self/fd/${handle}`).startsWith('socket:');
  } catch {
    return false;
  }
}
