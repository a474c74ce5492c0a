import type { Clock } from '../task/clock.js';
import { InvalidOptionError } from '../task/errors.js';
import type { Backend } from './backend.js';
import { memoryBackend } from './memory/memory-backend.js';
import { postgresBackend } from './postgres/postgres-backend.js';
import { redisBackend } from './redis/redis-backend.js';

/** The backend that the module's option names; nothing named is the embedded one. */
export function resolveBackend(backend: string | Backend | undefined, clock: Clock): Backend {
  if (backend === undefined || backend === 'memory:') return memoryBackend({ clock });
  if (typeof backend === 'object' && typeof backend?.open === 'function') return backend;
  if (typeof backend === 'string' && /^rediss?(\+cluster)?:/i.test(backend))
    return redisBackend({ url: backend });
  if (typeof backend === 'string' && /^postgres(ql)?:/i.test(backend))
    return postgresBackend({ url: backend });
  if (typeof backend === 'string' && /^pglite:./i.test(backend))
    return postgresBackend({ pglite: backend.slice('pglite:'.length) });
  // Of text only the scheme is shown: the rest may hold a password.
  const isText = typeof backend === 'string';
  const named = isText ? (/^[a-z+]+:/i.exec(backend)?.[0] ?? 'text without a scheme') : backend;
  throw new InvalidOptionError(
    'JobsModule.forRoot',
    'backend',
    named,
    "'memory:', 'redis://…', 'postgres://…', 'pglite:./folder' or a backend object",
  );
}
