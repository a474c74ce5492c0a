import { createHash } from 'node:crypto';
import type { LeaseGuard, LeaseGuardSettings } from '../../backend.js';
import { guardLeases } from '../../lease-thread/guard-leases.js';
import { packagePath } from '../../lease-thread/package-path.js';
import { redacting } from '../../lease-thread/redacting.js';
import { leaseThreadSource } from '../lease-thread-source.js';
import { luaSources } from '../lua-sources.js';
import { RedisKeys } from '../redis-keys.js';
import type { RedisTarget } from '../redis-target.js';
import { cloneableTarget } from './cloneable-target.js';
import type { RedisThreadData } from './redis-thread-data.js';

/** Undefined where no thread can be had; why is reported. */
export function guardRedisLeases(
  target: RedisTarget,
  prefix: string,
  settings: LeaseGuardSettings,
): LeaseGuard | undefined {
  return guardLeases<RedisThreadData>(settings, () => {
    const source = luaSources.renew;
    const keys = new RedisKeys(prefix);
    const cloneable = cloneableTarget(target);
    return {
      source: leaseThreadSource,
      redact: redacting(cloneable),
      data: {
        ioredis: packagePath('ioredis'),
        target: cloneable,
        connectionName: `${prefix}:leases`,
        script: { source, sha: createHash('sha1').update(source).digest('hex') },
        queues: settings.queues.map((queue) => keys.of(queue)),
      },
    };
  });
}
