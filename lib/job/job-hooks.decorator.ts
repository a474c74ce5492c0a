import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import type { TaskHooks } from './job-handler.js';

const hooksMetadata = Symbol.for('nestjs-jobs:hooks');

/** Makes a class a provider whose hooks are called for the tasks of all jobs. */
export function JobHooks(): (target: abstract new (...args: never[]) => TaskHooks<never>) => void {
  return (target) => {
    Injectable()(target);
    Reflect.defineMetadata(hooksMetadata, true, target);
  };
}

export function isHooksClass(target: unknown): boolean {
  return typeof target === 'function' && Reflect.hasOwnMetadata(hooksMetadata, target);
}
