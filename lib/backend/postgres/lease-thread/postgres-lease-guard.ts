import type { ClientConfig } from 'pg';
import type { LeaseGuard, LeaseGuardSettings } from '../../backend.js';
import { guardLeases } from '../../lease-thread/guard-leases.js';
import { packagePath } from '../../lease-thread/package-path.js';
import { redacting } from '../../lease-thread/redacting.js';
import { leaseThreadSource } from '../lease-thread-source.js';
import { cloneableConfig } from './cloneable-config.js';
import type { PostgresThreadData } from './postgres-thread-data.js';

/** Undefined where no thread can be had; why is reported. */
export function guardPostgresLeases(
  config: ClientConfig,
  prefix: string,
  settings: LeaseGuardSettings,
): LeaseGuard | undefined {
  return guardLeases<PostgresThreadData>(settings, () => {
    const cloneable = cloneableConfig(config);
    return {
      source: leaseThreadSource,
      redact: redacting(cloneable),
      data: {
        pg: packagePath('pg'),
        config: cloneable,
        applicationName: `${prefix}:leases`,
        statement: `SELECT "${prefix.replaceAll('"', '""')}".renew_v1($1) AS answer`,
        queues: settings.queues,
      },
    };
  });
}
