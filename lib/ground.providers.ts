import type { Provider } from '@nestjs/common';
import { resolveBackend } from './backend/resolve-backend.js';
import { BACKEND, JOBS_OPTIONS, JOBS_ROOT } from './jobs-root.js';
import type { ResolvedOptions } from './resolve-options.js';
import { STAND_INS, type StandIns } from './stand-ins.js';
import { Clock, SystemClock } from './task/clock.js';

/** To be injected where a test may have put something else. */
export const standIns = { token: STAND_INS, optional: true };

/** What all other parts stand on: the options, the clock and the store. */
export const groundProviders: Provider[] = [
  {
    provide: JOBS_OPTIONS,
    inject: [{ token: JOBS_ROOT, optional: true }, standIns],
    useFactory: (given?: ResolvedOptions, others?: StandIns) => given ?? others?.options,
  },
  {
    provide: Clock,
    inject: [standIns],
    useFactory: (others?: StandIns) => others?.clock ?? new SystemClock(),
  },
  {
    provide: BACKEND,
    inject: [JOBS_OPTIONS, Clock, standIns],
    useFactory: ({ backend }: ResolvedOptions, clock: Clock, others?: StandIns) =>
      others?.backendOn(clock) ?? resolveBackend(backend, clock),
  },
];
