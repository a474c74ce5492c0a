import { isDeepStrictEqual } from 'node:util';
import type { ModulesContainer } from '@nestjs/core';
import { JobsError } from './task/errors.js';

/** What a `JobsModule.forRoot` was given, resolved. */
export const JOBS_ROOT = Symbol('nestjs-jobs root');
/** The options that hold for the application, of which there is one set. */
export const JOBS_OPTIONS = Symbol('nestjs-jobs options');

/** The store of an application. */
export const BACKEND = Symbol('nestjs-jobs backend');

/** The application imports `JobsModule` with options that contradict each other. */
export class ConflictingRootsError extends JobsError {
  readonly code = 'CONFLICTING_ROOTS';

  constructor() {
    super(
      'JobsModule.forRoot is imported more than once with different options: an application has one; ' +
        'import it in the root module only, it is global',
    );
  }
}

/** Importing the module twice with the same options is harmless; with others nobody could say which hold. */
export function checkSingleRoot(modules: ModulesContainer): void {
  const all: unknown[] = [];
  for (const module of modules.values()) {
    const wrapper = module.providers.get(JOBS_ROOT);
    if (wrapper) all.push(wrapper.instance);
  }
  if (all.some((options) => !isDeepStrictEqual(options, all[0]))) throw new ConflictingRootsError();
}
