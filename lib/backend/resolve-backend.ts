import type { Clock } from '../task/clock.js';
import { InvalidOptionError } from '../task/errors.js';
import type { Backend } from './backend.js';
import { memoryBackend } from './memory/memory-backend.js';

/** The backend that the module's option names; nothing named is the embedded one. */
export function resolveBackend(backend: string | Backend | undefined, clock: Clock): Backend {
  if (typeof backend === 'object') return backend;
  if (backend === undefined || backend === 'memory:') return memoryBackend({ clock });
  // Only the scheme is shown: the rest may hold a password.
  const scheme = /^[a-z+]+:/i.exec(backend)?.[0] ?? 'text without a scheme';
  throw new InvalidOptionError('JobsModule.forRoot', 'backend', scheme, "'memory:' or a backend object");
}
