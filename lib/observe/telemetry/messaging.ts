import type { Outcome } from '../../task/outcome.js';
import type { OtelAttributes } from './otel-api.js';

/** Whose spans and measures these are, for an SDK that wants to treat them apart. */
export const scopeName = 'nestjs-jobs';

type Operation = 'enqueue' | 'schedule' | 'process';

const operationTypes: Record<Operation, string> = { enqueue: 'send', schedule: 'create', process: 'process' };

/** Attributes by the semantic conventions of messaging; what those do not know begins with `nestjs_jobs`. */
export function messagingAttributes(operation: Operation, job?: string, queue?: string): OtelAttributes {
  return {
    'messaging.system': 'nestjs_jobs',
    'messaging.operation.name': operation,
    'messaging.operation.type': operationTypes[operation],
    'messaging.destination.name': queue,
    'nestjs_jobs.job': job,
  };
}

/** The outcome as events call it. */
export function outcomeName(outcome: Outcome): string {
  if (outcome.type === 'retry') return 'failed';
  return outcome.type === 'conflict' ? 'rescheduled' : outcome.type;
}
