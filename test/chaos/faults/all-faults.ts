import { blockedLoop } from './blocked-loop.js';
import { clusterFailover } from './cluster-failover.js';
import { clusterPrimaryKill } from './cluster-primary-kill.js';
import { clusterSlotMoves } from './cluster-slot-moves.js';
import { corruptedRecords } from './corrupted-records.js';
import { producerCrashes, workerCrashes } from './crash-points.js';
import type { Fault } from './fault.js';
import { fullDisk } from './full-disk.js';
import { halfOpen } from './half-open.js';
import { killAll } from './kill-all.js';
import { killOne } from './kill-one.js';
import { latency } from './latency.js';
import { oneWayPartition, partition } from './partitions.js';
import { pgliteReopen } from './pglite-reopen.js';
import { poison } from './poison.js';
import { postgresBackendKills } from './postgres-backend-kills.js';
import { postgresRestart } from './postgres-restart.js';
import { redisMemory } from './redis-memory.js';
import { redisRestart, redisRestartEverySecond } from './redis-restart.js';
import { resets } from './resets.js';
import { rollingDeploy } from './rolling-deploy.js';
import { sentinelPromotion } from './sentinel-promotion.js';
import { sigtermStorm } from './sigterm-storm.js';
import { stopPastLease } from './stop-past-lease.js';
import { wrongClocks } from './wrong-clocks.js';

/** Every fault that is injected, one at a time. */
export const allFaults: readonly Fault[] = [
  killOne,
  killAll,
  stopPastLease,
  blockedLoop,
  poison,
  workerCrashes,
  producerCrashes,
  sigtermStorm,
  rollingDeploy,
  wrongClocks,
  partition,
  oneWayPartition,
  halfOpen,
  latency,
  resets,
  corruptedRecords,
  redisRestart,
  redisRestartEverySecond,
  redisMemory,
  sentinelPromotion,
  clusterPrimaryKill,
  clusterFailover,
  clusterSlotMoves,
  postgresBackendKills,
  postgresRestart,
  fullDisk,
  pgliteReopen,
];
