import type { Task } from '../task/task.js';
import type { TaskHooks } from './job-handler.js';

type AnyHooks = TaskHooks<never>;
type HookName = keyof TaskHooks;

/** The hooks of all jobs and of one: the general ones frame the job's own. */
export class HookChain {
  private readonly general: AnyHooks[] = [];

  constructor(private readonly report: (hook: HookName, task: Task<never>, error: unknown) => void) {}

  /** Takes in a provider whose hooks are for all jobs. */
  add(hooks: AnyHooks): void {
    this.general.push(hooks);
  }

  /** Whether there is anything to call: a task without hooks must not pay for them. */
  has(name: HookName, own: AnyHooks): boolean {
    return typeof own[name] === 'function' || this.general.some((hooks) => typeof hooks[name] === 'function');
  }

  /** Answers false where a hook vetoes; the hooks after it are not asked. */
  async beforeEnqueue(own: AnyHooks, task: Task<never>): Promise<boolean> {
    for (const hooks of [...this.general, own])
      if ((await hooks.beforeEnqueue?.(task)) === false) return false;
    return true;
  }

  async beforeRun(own: AnyHooks, task: Task<never>): Promise<void> {
    for (const hooks of [...this.general, own]) await hooks.beforeRun?.(task);
  }

  async after(
    name: 'afterEnqueue' | 'afterRun',
    own: AnyHooks,
    success: boolean,
    task: Task<never>,
  ): Promise<void> {
    for (const hooks of [own, ...this.general.toReversed()]) {
      try {
        await hooks[name]?.(success, task);
      } catch (error) {
        this.report(name, task, error);
      }
    }
  }
}
